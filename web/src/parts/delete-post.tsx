import { useMutation } from '@apollo/client/react';
import { useLocation } from 'wouter';
import { graphql } from '../gql';
import { notify } from '../notice';
import { routes } from '../paths';
import { gone, mistakes } from '../mistakes';
import { describe } from '../problems';
import ConfirmDialog from './confirm-dialog';

const Deletion = graphql(`
  mutation DeletePost($id: ID!) {
    deletePost(input: { id: $id }) {
      deletedId
      userErrors {
        code
        message
        field
      }
    }
  }
`);

/** DeletePost asks once more, deletes the post, and leads to the feed. */
export default function DeletePost({ id, open, close }: { id: string; open: boolean; close: () => void }) {
  const [, navigate] = useLocation();
  const [remove, { client }] = useMutation(Deletion);

  async function deleteIt() {
    try {
      const { data } = await remove({ variables: { id } });
      const [refused] = mistakes('deletePost', data?.deletePost.userErrors);
      if (refused && !gone(data?.deletePost.userErrors)) return notify(refused.message);
      navigate(routes.feed);
      client.cache.evict({ id: client.cache.identify({ __typename: 'Post', id })! });
      notify('The post was deleted.');
    } catch (error) {
      notify(describe(error));
    }
  }

  return (
    <ConfirmDialog
      open={open}
      close={close}
      title="Delete this post?"
      text="It will be gone for everybody, with its comments and likes."
      action="Delete it"
      confirm={() => void deleteIt()}
    />
  );
}
