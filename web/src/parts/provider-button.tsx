import { useState } from 'react';
import { notify } from '../notice';
import { describe } from '../problems';
import { provider } from '../session';

/** ProviderButton leads to where people sign in, and from there back to an address of ours. */
export function ProviderButton({ to }: { to: string }) {
  const [busy, setBusy] = useState(false);

  async function ask() {
    setBusy(true);
    try {
      await (await import('../oidc')).ask(to);
    } catch (error) {
      notify(describe(error));
      setBusy(false);
    }
  }

  return (
    <button type="button" aria-disabled={busy} onClick={() => void (busy || ask())}>
      Sign in at {new URL(provider!.issuer).host}
    </button>
  );
}
