import { useMutation } from '@apollo/client/react';
import { useState } from 'react';
import { graphql } from '../gql';
import { mistakes } from '../mistakes';
import { notify } from '../notice';
import { describe } from '../problems';
import ConfirmDialog from './confirm-dialog';

const Suspend = graphql(`
  mutation Suspend($id: ID!) {
    suspendUser(input: { id: $id }) {
      user {
        id
        suspended
      }
      userErrors {
        code
        message
        field
      }
    }
  }
`);

const Restore = graphql(`
  mutation Restore($id: ID!) {
    restoreUser(input: { id: $id }) {
      user {
        id
        suspended
      }
      userErrors {
        code
        message
        field
      }
    }
  }
`);

/** Moderate suspends an account, once it was asked whether it should, or restores it. */
export default function Moderate({ id, username, suspended }: { id: string; username: string; suspended: boolean }) {
  const [asking, setAsking] = useState(false);
  const [suspend] = useMutation(Suspend, { variables: { id } });
  const [restore] = useMutation(Restore, { variables: { id } });

  async function change() {
    try {
      const refused = suspended
        ? mistakes('restoreUser', (await restore()).data?.restoreUser.userErrors)
        : mistakes('suspendUser', (await suspend()).data?.suspendUser.userErrors);
      notify(refused[0]?.message ?? `${username} is ${suspended ? 'restored, and may write again' : 'suspended'}.`);
    } catch (error) {
      notify(describe(error));
    }
  }

  return (
    <>
      {suspended && <span>suspended</span>}
      <button type="button" className="quiet inline" onClick={() => (suspended ? void change() : setAsking(true))}>
        {suspended ? 'Restore' : 'Suspend'}
        <span className="unseen"> {username}</span>
      </button>
      <ConfirmDialog
        open={asking}
        close={() => setAsking(false)}
        title={`Suspend ${username}?`}
        text={`${username} can go on reading, and writes nothing until a moderator restores the account. What is written stays: it can be deleted where it stands.`}
        keep="Cancel"
        action="Suspend"
        confirm={() => void change()}
      />
    </>
  );
}
