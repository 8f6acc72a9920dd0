import { useMutation } from '@apollo/client/react';
import { graphql } from '../gql';
import { toldIfTakenBack } from '../taken-back';

const Bookmark = graphql(`
  mutation Bookmark($id: ID!) {
    bookmarkPost(input: { postId: $id }) {
      post {
        id
        viewerHasBookmarked
      }
      userErrors {
        code
        message
        field
      }
    }
  }
`);

const Unbookmark = graphql(`
  mutation Unbookmark($id: ID!) {
    unbookmarkPost(input: { postId: $id }) {
      post {
        id
        viewerHasBookmarked
      }
      userErrors {
        code
        message
        field
      }
    }
  }
`);

/** BookmarkButton keeps a post at once, and takes that back where the server refuses. */
export default function BookmarkButton({ id, kept }: { id: string; kept: boolean }) {
  const [bookmark] = useMutation(Bookmark);
  const [unbookmark] = useMutation(Unbookmark);

  function toggle() {
    const variables = { id };
    const answer = { post: { __typename: 'Post' as const, id, viewerHasBookmarked: !kept }, userErrors: [] };
    const keep = () => bookmark({ variables, optimisticResponse: { __typename: 'Mutation', bookmarkPost: { __typename: 'BookmarkPostPayload', ...answer } } });
    const takeOff = () => unbookmark({ variables, optimisticResponse: { __typename: 'Mutation', unbookmarkPost: { __typename: 'UnbookmarkPostPayload', ...answer } } });
    return kept
      ? toldIfTakenBack('unbookmarkPost', takeOff().then(({ data }) => data?.unbookmarkPost.userErrors))
      : toldIfTakenBack('bookmarkPost', keep().then(({ data }) => data?.bookmarkPost.userErrors));
  }

  return (
    <button type="button" className="bookmark" aria-pressed={kept} onClick={toggle}>
      <svg viewBox="0 0 24 24" aria-hidden="true">
        <path d="M6 3.5h12v17l-6-4.6-6 4.6Z" />
      </svg>
      <span className="unseen">Bookmark</span>
    </button>
  );
}
