import { useMutation } from '@apollo/client/react';
import { graphql } from '../gql';
import { announce, notify } from '../notice';
import { gone, mistakes } from '../mistakes';
import { describe } from '../problems';
import ConfirmDialog from './confirm-dialog';

const Deletion = graphql(`
  mutation DeleteComment($id: ID!) {
    deleteComment(input: { id: $id }) {
      deletedId
      post {
        id
        commentCount
      }
      userErrors {
        code
        message
        field
      }
    }
  }
`);

/** DeleteComment asks once more, and deletes the comment. */
export default function DeleteComment({ id, open, close }: { id: string; open: boolean; close: () => void }) {
  const [remove] = useMutation(Deletion);

  async function deleteIt() {
    try {
      const { data } = await remove({
        variables: { id },
        update(cache, { data: answer }) {
          if (answer?.deleteComment.deletedId || gone(answer?.deleteComment.userErrors)) cache.evict({ id: cache.identify({ __typename: 'Comment', id })! });
        },
      });
      const [refused] = mistakes('deleteComment', data?.deleteComment.userErrors);
      if (refused && !gone(data?.deleteComment.userErrors)) return notify(refused.message);
      document.getElementById('comments-title')?.focus();
      announce('The comment was deleted.');
    } catch (error) {
      notify(describe(error));
    }
  }

  return (
    <ConfirmDialog
      open={open}
      close={close}
      title="Delete this comment?"
      text="It will be gone for everybody."
      action="Delete it"
      confirm={() => void deleteIt()}
    />
  );
}
