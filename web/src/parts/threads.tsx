import { useQuery } from '@apollo/client/react';
import { graphql } from '../gql';
import type { SortOrder } from '../gql/graphql';
import { Comment } from './comment';
import { Endless } from './endless';
import { Problem, Skeleton } from './states';

const ThreadsQuery = graphql(`
  query Threads($id: ID!, $after: String) {
    threads(postId: $id, first: 20, after: $after) {
      edges {
        cursor
        node {
          depth
          parentId
          comment {
            id
            ...CommentComment
          }
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

/** Threads are a post's comments as conversations: each with the replies below it. */
export default function Threads({ postId, postAuthorId }: { postId: string; postAuthorId: string }) {
  const { data, error, refetch, fetchMore } = useQuery(ThreadsQuery, { variables: { id: postId }, fetchPolicy: 'cache-and-network' });
  const list = data?.threads;
  if (!list) return error ? <Problem error={error} retry={() => void refetch()} /> : <Skeleton rows={3} />;
  return (
    <>
      <ol className="comment-list threads">
        {list.edges.map(({ cursor, node: { comment, depth } }) => (
          <li key={comment?.id ?? cursor} style={{ marginInlineStart: `${1.25 * Math.min(depth, 6)}rem` }}>
            <ol className="comment-list">
              {comment ? (
                <Comment comment={comment} postId={postId} postAuthorId={postAuthorId} />
              ) : (
                <li className="comment">
                  <p className="comment-meta">This comment was deleted.</p>
                </li>
              )}
            </ol>
          </li>
        ))}
      </ol>
      <Endless what="comments" more={list.pageInfo.hasNextPage} load={() => fetchMore({ variables: { after: list.pageInfo.endCursor } })} />
    </>
  );
}

export type View = SortOrder | 'CONVERSATIONS';

const views: [View, string][] = [
  ['NEWEST_FIRST', 'Newest first'],
  ['OLDEST_FIRST', 'Oldest first'],
  ['CONVERSATIONS', 'Conversations'],
];

/** Orders are the ways in which comments are shown. */
export function Orders({ view, choose }: { view: View; choose: (view: View) => void }) {
  return (
    <fieldset className="orders">
      <legend className="unseen">Order of the comments</legend>
      {views.map(([value, label]) => (
        <label key={value}>
          <input type="radio" name="order" checked={view === value} onChange={() => choose(value)} />
          <span>{label}</span>
        </label>
      ))}
    </fieldset>
  );
}
