// Whose token goes with requests. It stays in this browser until it is signed out or refused.
import { useSyncExternalStore } from 'react';

const key = 'broadsheet.token';
const listeners = new Set<() => void>();

/** Where the server believes every token, the subject that it suggests; else empty. */
export const devSubject = document.querySelector<HTMLMetaElement>('meta[name="broadsheet-dev-subject"]')?.content ?? '';

function changed() {
  for (const listener of listeners) listener();
}

// Another tab signed in or out.
addEventListener('storage', (event) => {
  if (event.key === key || event.key === null) changed();
});

export function currentToken(): string | null {
  return localStorage.getItem(key);
}

export function signIn(token: string) {
  localStorage.setItem(key, token);
  changed();
}

export function signOut() {
  localStorage.removeItem(key);
  changed();
}

export function useToken(): string | null {
  return useSyncExternalStore((listener) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  }, currentToken);
}
