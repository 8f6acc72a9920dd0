// Sign-in by OpenID Connect: loaded where the server names a provider, and somebody signs in or is signed in.
import { UserManager, WebStorageStateStore } from 'oidc-client-ts';
import { routes } from './paths';
import { currentSession, provider, renew, signOut } from './session';

const { issuer, clientId, audience } = provider!;

const soon = 20; // seconds before a token ends

const manager = new UserManager({
  authority: issuer,
  client_id: clientId,
  redirect_uri: location.origin + routes.signIn,
  post_logout_redirect_uri: location.origin + routes.feed,
  scope: 'openid profile email offline_access',
  extraQueryParams: { audience }, // as several providers have it; RFC 8707 wants an address
  ...(URL.canParse(audience) && { resource: audience }),
  userStore: new WebStorageStateStore({ store: localStorage }),
  automaticSilentRenew: false, // each tab would renew, with a refresh token that is good once
  accessTokenExpiringNotificationTimeInSeconds: soon,
});

manager.events.addAccessTokenExpiring(async () => {
  const user = await manager.getUser(); // another tab may have another already, which then says when
  const { token } = currentSession();
  if (token && user && user.expires_in! <= soon) await renewed(token);
});

/** watch renews the token before it ends, as long as the page is open. */
export async function watch(): Promise<void> {
  await manager.getUser();
}

/** ask leads to the provider, which leads back to the page for signing in. */
export async function ask(to: string): Promise<void> {
  await manager.signinRedirect({ state: to });
}

let asked: Promise<{ token: string; to: string }> | undefined;

/** answered returns the token that the provider sent its reader back with, and where the reader wanted to go. */
export function answered(): Promise<{ token: string; to: string }> {
  return (asked ??= manager.signinRedirectCallback().then(({ access_token, state }) => ({ token: access_token, to: String(state ?? '') })));
}

/** renewed goes on with a token that follows one, or says that none does. Tabs take turns: what one got is the others' too. */
export async function renewed(token: string): Promise<boolean> {
  return inTurn(async () => {
    const { token: current, account } = currentSession();
    if (current !== token || !account) return current !== null;
    const kept = await manager.getUser();
    const next = kept?.access_token === token && kept.refresh_token ? await again() : kept;
    if (!next || next.access_token === token) return false;
    renew(next.access_token, account);
    if (currentSession().token === next.access_token) return true;
    await manager.removeUser(); // signed out meanwhile
    return false;
  });
}

function inTurn<T>(work: () => Promise<T>): Promise<T> {
  return navigator.locks.request('broadsheet.renewal', work);
}

async function again() {
  try {
    return await manager.signinSilent();
  } catch {
    return null; // the provider gives no more, or can't be reached: the token is good until it ends
  }
}

/** leave ends what the provider knows of this browser, where it has a page for that. A renewal that is under way ends first, and leaves nothing. */
export async function leave(): Promise<void> {
  const user = await manager.getUser();
  await inTurn(async () => {
    signOut();
    try {
      if (await manager.metadataService.getEndSessionEndpoint()) return await manager.signoutRedirect({ id_token_hint: user?.id_token });
    } catch {
      // It can't be reached: this browser forgets it.
    }
    await manager.removeUser();
  });
}
