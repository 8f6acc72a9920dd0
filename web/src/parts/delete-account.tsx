import { useMutation } from '@apollo/client/react';
import { Dialog, DialogDescription, DialogDismiss, DialogHeading } from '@ariakit/react';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { graphql } from '../gql';
import { failure, mistakes, type Mistake } from '../mistakes';
import { notify } from '../notice';
import { routes } from '../paths';
import { leave } from '../session';
import { Field } from './field';
import { Form } from './form';

const Deletion = graphql(`
  mutation DeleteAccount($username: String!) {
    deleteAccount(input: { username: $username }) {
      deletedId
      userErrors {
        code
        message
        field
      }
    }
  }
`);

/** DeleteAccount asks for the account's name, which nobody types by accident, and erases the account. */
export default function DeleteAccount({ username, close }: { username: string; close: () => void }) {
  const [typed, setTyped] = useState('');
  const [refused, setRefused] = useState<readonly Mistake[]>([]);
  const [busy, setBusy] = useState(false);
  const [unanswered, setUnanswered] = useState(false); // an attempt, after which there may be no account
  const [, navigate] = useLocation();
  const [erase] = useMutation(Deletion);

  async function send() {
    setBusy(true);
    try {
      const { data } = await erase({ variables: { username: typed } });
      const mistaken = mistakes('deleteAccount', data?.deleteAccount.userErrors, ['username']);
      if (mistaken.length === 0 || (unanswered && data?.deleteAccount.userErrors[0]?.code === 'FORBIDDEN')) {
        leave();
        navigate(routes.feed);
        notify('Your account was deleted. What you wrote follows shortly.');
        return;
      }
      setRefused(mistaken);
    } catch (error) {
      setUnanswered(true);
      setRefused(failure(error));
    }
    setBusy(false);
  }

  return (
    <Dialog open onClose={close} className="dialog" backdrop={<div className="backdrop" />}>
      <DialogHeading className="dialog-title">Delete your account?</DialogHeading>
      <DialogDescription>Your posts, comments and likes are deleted with it, for everybody and for good.</DialogDescription>
      <Form
        send={send}
        busy={busy}
        mistakes={refused}
        action={busy ? 'Deleting' : 'Delete it for good'}
        others={<DialogDismiss className="button quiet">Keep it</DialogDismiss>}
      >
        <Field label="Username" name="username" mistakes={refused} hint={`Type ${username} to confirm.`}>
          {(control) => (
            <input {...control} value={typed} readOnly={busy} onChange={(event) => setTyped(event.target.value)} autoComplete="off" autoCapitalize="none" spellCheck={false} />
          )}
        </Field>
      </Form>
    </Dialog>
  );
}
