import { useQuery } from '@apollo/client/react';
import { useRef } from 'react';
import { graphql } from '../gql';
import type { SortOrder } from '../gql/graphql';
import type { News } from '../live/use-news';
import { insertReply, type Reply } from '../replies';
import { Comment } from './comment';
import { Endless } from './endless';
import { NewsBar } from './news-bar';
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
export default function Threads({ news, ...of }: { postId: string; mayDelete: boolean; news: News<Reply> }) {
  const { postId } = of;
  const { data, error, refetch, fetchMore, client } = useQuery(ThreadsQuery, { variables: { id: postId }, fetchPolicy: 'cache-and-network' });
  const list = data?.threads;
  const shown = useRef<HTMLOListElement>(null);
  if (!list) return error ? <Problem error={error} retry={() => void refetch()} /> : <Skeleton rows={3} />;
  const show = async () => {
    for (const comment of news.fresh) insertReply(client.cache, postId, comment);
    await Promise.all([news.show(), news.more && refetch()]);
  };
  return (
    <>
      <NewsBar news={{ ...news, show }} what="comment" at="above" shown={() => shown.current?.focus({ preventScroll: true })} />
      <ol className="comment-list threads" ref={shown} tabIndex={-1}>
        {list.edges.map(({ cursor, node: { comment, depth } }) => (
          <li key={comment?.id ?? cursor} style={{ marginInlineStart: `${1.25 * Math.min(depth, 6)}rem` }}>
            <ol className="comment-list">
              {comment ? (
                <Comment comment={comment} {...of} />
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
