import { Suspense } from 'react';
import { lazily } from '../lazily';
import { notify } from '../notice';
import { signOut, useSession } from '../session';
import { Boundary } from './boundary';

const SignInAgainDialog = lazily(() => import('./sign-in-again-dialog'));

/** SignInAgain asks over the page, which stays as it is, after a token ended while its person was writing. */
export function SignInAgain() {
  const { ended } = useSession();
  if (!ended) return null;
  return (
    <Boundary caught={giveUp} fallback={() => null}>
      <Suspense fallback={null}>
        <SignInAgainDialog giveUp={giveUp} />
      </Suspense>
    </Boundary>
  );
}

function giveUp() {
  signOut();
  notify('Your sign-in has ended. What you wrote is kept in this browser: it is there when you sign in again.');
}
