import { useQuery } from '@apollo/client/react';
import { useState } from 'react';
import { graphql } from '../gql';
import type { SortOrder } from '../gql/graphql';
import { Comment } from './comment';
import { CommentForm } from './comment-form';
import { Endless } from './endless';
import { Problem, Skeleton } from './states';

const CommentsQuery = graphql(`
  query PostComments($id: ID!, $order: SortOrder!, $after: String) {
    post(id: $id) {
      id
      commentCount
      comments(first: 20, after: $after, order: $order) {
        edges {
          cursor
          node {
            id
            ...CommentComment
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  }
`);

/** The first page as the query above asks it, for a post's own query: a post and its comments are one request. */
export const NewestComments = graphql(`
  fragment NewestComments on Post {
    comments(first: 20, order: NEWEST_FIRST) {
      edges {
        cursor
        node {
          id
          ...CommentComment
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);

const orders: [SortOrder, string][] = [
  ['NEWEST_FIRST', 'Newest first'],
  ['OLDEST_FIRST', 'Oldest first'],
];

export function Comments({ postId, count }: { postId: string; count: number }) {
  const [order, setOrder] = useState<SortOrder>('NEWEST_FIRST');
  const { data, error, refetch, fetchMore } = useQuery(CommentsQuery, { variables: { id: postId, order } });
  const list = data?.post?.comments;
  return (
    <section id="comments" aria-labelledby="comments-title" className="comments">
      <div className="comments-head">
        <h2 id="comments-title">{count === 0 ? 'No comments yet' : `${count} ${count === 1 ? 'comment' : 'comments'}`}</h2>
        {count > 1 && (
          <fieldset className="orders">
            <legend className="unseen">Order of the comments</legend>
            {orders.map(([value, label]) => (
              <label key={value}>
                <input type="radio" name="order" checked={order === value} onChange={() => setOrder(value)} />
                <span>{label}</span>
              </label>
            ))}
          </fieldset>
        )}
      </div>
      <CommentForm postId={postId} />
      {!list && !error && count > 0 && <Skeleton rows={Math.min(count, 3)} />}
      {!list && error && <Problem error={error} retry={() => void refetch()} />}
      {list && (
        <>
          <ol className="comment-list">
            {list.edges.map(({ node }) => (
              <Comment key={node.id} comment={node} />
            ))}
          </ol>
          <Endless
            what="comments"
            more={list.pageInfo.hasNextPage}
            load={() => fetchMore({ variables: { after: list.pageInfo.endCursor } })}
          />
        </>
      )}
    </section>
  );
}
