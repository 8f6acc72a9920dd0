import { useQuery } from '@apollo/client/react';
import { graphql } from '../gql';
import { Comment } from './comment';
import { useFragment } from './use-fragment';

const LinkedQuery = graphql(`
  query LinkedComment($id: ID!) {
    node(id: $id) {
      id
      ... on Comment {
        ...CommentComment
      }
    }
  }
`);

/** LinkedComment is the one that the address names, which the list has not come to. */
export default function LinkedComment({ id, ...of }: { id: string; postId: string; mayDelete: boolean }) {
  const { data, error } = useQuery(LinkedQuery, { variables: { id } });
  const comment = data?.node?.__typename === 'Comment' ? data.node : null;
  useFragment(!!comment);
  if (!data && !error) return null;
  return (
    <div className="linked-comment">
      <p>{comment ? 'The comment that a link led you to:' : 'The comment that a link led you to is not there.'}</p>
      {comment && (
        <ol className="comment-list">
          <Comment comment={comment} {...of} />
        </ol>
      )}
    </div>
  );
}
