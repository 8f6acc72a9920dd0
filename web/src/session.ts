// Whose pages these are. The token stays in this browser until its person signs out, or it is refused.
import { useSyncExternalStore } from 'react';

const tokenKey = 'broadsheet.token';
const accountKey = 'broadsheet.account';

type Session = {
  token: string | null;
  account: string | null; // its id, where it was known at sign-in
  identity: number; // another person's is another; a new token of the same person's is not
  ended: boolean; // the token is accepted no more, and its person was asked for another
};

// Where the browser keeps nothing, its person is signed in as long as the page is open.
const unkept = new Map<string, string>();

let session: Session = { ...stored(), identity: 0, ended: false };
const listeners = new Set<() => void>();

/** Where the server believes every token, the subject that it suggests; else empty. */
export const devSubject = document.querySelector<HTMLMetaElement>('meta[name="broadsheet-dev-subject"]')?.content ?? '';

type Provider = { issuer: string; clientId: string; audience: string };

/** Where people sign in; null: they enter a token. */
export const provider = JSON.parse(document.querySelector<HTMLMetaElement>('meta[name="broadsheet-provider"]')?.content || 'null') as Provider | null;

function read(key: string): string | null {
  try {
    return unkept.get(key) ?? localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key: string, value: string) {
  try {
    localStorage.setItem(key, value);
    unkept.delete(key);
  } catch {
    unkept.set(key, value);
  }
}

function remove(key: string) {
  unkept.delete(key);
  try {
    localStorage.removeItem(key);
  } catch {
    // as above
  }
}

function stored() {
  return { token: read(tokenKey), account: read(accountKey) };
}

function become(next: Session) {
  session = next;
  for (const listener of listeners) listener();
}

function follow() {
  const next = stored();
  if (next.token === session.token) return;
  const same = next.account !== null && next.account === session.account;
  become({ ...next, identity: session.identity + (same ? 0 : 1), ended: false });
}

// Another tab signed in or out.
addEventListener('storage', (event) => {
  if (event.key === tokenKey || event.key === null) follow();
});

function store(token: string, account: string) {
  write(accountKey, account); // first: other tabs hear of the token
  write(tokenKey, token);
}

export function signIn(token: string, account: string) {
  store(token, account);
  become({ token, account, identity: session.identity + 1, ended: false });
}

/** renew goes on with another token of the same account, if that is still signed in: the pages, and what is written on them, stay. */
export function renew(token: string, account: string) {
  if ((read(accountKey) ?? (read(tokenKey) && account)) !== account) return; // signed out, or another signed in; another tab's event may be on its way
  store(token, account);
  become({ token, account, identity: session.identity, ended: false });
}

export function signOut() {
  remove(tokenKey);
  remove(accountKey);
  become({ token: null, account: null, identity: session.identity + 1, ended: false });
}

/** leave is signOut by the person, who leaves the provider as well. */
export function leave() {
  signOut();
  if (provider) void import('./oidc').then((oidc) => oidc.leave());
}

/** renewed says whether a token that was refused has one that follows it, which the session goes on with. */
export async function renewed(token: string): Promise<boolean> {
  return provider !== null && (await import('./oidc')).renewed(token).catch(() => false);
}

/** endSession asks the session's person for another token. Until there is one, or the session is given up, no request is sent. */
export function endSession() {
  become({ ...session, ended: true });
}

/** attended waits while the session's person is asked for a token. */
export async function attended(): Promise<void> {
  if (!session.ended) return;
  await new Promise<void>((resolve) => {
    const listener = () => {
      if (session.ended) return;
      listeners.delete(listener);
      resolve();
    };
    listeners.add(listener);
  });
}

export function currentSession(): Session {
  return session;
}

/** tokenOf returns an identity's token, as long as these are its pages. */
export function tokenOf(identity: number): string | null {
  return identity === session.identity ? session.token : null;
}

export function useSession(): Session {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, currentSession);
}

export function useToken(): string | null {
  return useSession().token;
}
