import { Dialog, DialogDescription, DialogHeading } from '@ariakit/react';
import { provider, renew } from '../session';
import { ProviderButton } from './provider-button';
import { TokenForm, type Account } from './token-form';
import { useViewer } from './viewer';

export default function SignInAgainDialog({ giveUp }: { giveUp: () => void }) {
  const viewer = useViewer();

  function enter(token: string, account: Account | null) {
    if (!viewer || account?.id !== viewer.id) return { message: `is not ${viewer?.username}’s, who wrote this`, field: 'token' };
    renew(token, viewer.id);
  }

  const without = (
    <button type="button" className="quiet" onClick={giveUp}>
      Read on without
    </button>
  );
  return (
    <Dialog open onClose={() => {}} hideOnEscape={false} hideOnInteractOutside={false} className="dialog" backdrop={<div className="backdrop" />}>
      <DialogHeading className="dialog-title">Sign in again</DialogHeading>
      <DialogDescription>Your sign-in has ended. What you have written stays as it is, and goes on when you are back.</DialogDescription>
      {provider ? (
        <p className="dialog-actions">
          {without}
          <ProviderButton to={location.pathname + location.search} />
        </p>
      ) : (
        <TokenForm enter={enter} others={without} />
      )}
    </Dialog>
  );
}
