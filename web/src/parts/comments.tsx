import { useQuery } from '@apollo/client/react';
import { Suspense, useRef, useState } from 'react';
import { Link, useLocation, useSearchParams } from 'wouter';
import { graphql } from '../gql';
import { lazily } from '../lazily';
import { behind, insertComments } from '../lists';
import { useNews } from '../live/use-news';
import { pathOf } from '../paths';
import { Boundary } from './boundary';
import { Comment } from './comment';
import { Endless } from './endless';
import { NewsBar } from './news-bar';
import { Problem, Skeleton } from './states';
import type { View } from './threads';
import { useFragment } from './use-fragment';
import { useViewer } from './viewer';

const CommentForm = lazily(() => import('./comment-form'));
const LinkedComment = lazily(() => import('./linked-comment'));
const Orders = lazily(() => import('./threads').then(({ Orders }) => ({ default: Orders })));
const Threads = lazily(() => import('./threads'));

const CommentsQuery = graphql(`
  query PostComments($id: ID!, $order: SortOrder!, $after: String) {
    post(id: $id) {
      id
      commentCount
      comments(first: 20, after: $after, order: $order) {
        liveCursor
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

/** A first page as the query above asks it, for a post's own query: a post and its comments are one request. */
export const NewestComments = graphql(`
  fragment NewestComments on Post {
    comments(first: 20, after: $after, order: NEWEST_FIRST) {
      liveCursor
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

const CommentCreated = graphql(`
  subscription CommentCreated($id: ID!, $after: String) {
    commentCreated(postId: $id, after: $after) {
      cursor
      comment {
        id
        depth
        parentId
        author {
          id
        }
        ...CommentComment
      }
    }
  }
`);

export function Comments({ count, ...of }: { postId: string; mayDelete: boolean; count: number }) {
  const { postId } = of;
  const [view, choose] = useState<View>('NEWEST_FIRST');
  const threaded = view === 'CONVERSATIONS';
  const order = threaded ? 'NEWEST_FIRST' : view;
  const cursor = useSearchParams()[0].get('after');
  const after = order === 'NEWEST_FIRST' ? cursor : null; // it is of that order
  const { data, error, refetch, fetchMore, client } = useQuery(CommentsQuery, { variables: { id: postId, order, ...behind(after) } });
  const list = data?.post?.comments;
  const [, linked] = /^comment-(.+)/.exec(useFragment(!!list)) ?? [];
  const shown = useRef<HTMLOListElement>(null);
  const news = useNews({
    query: CommentCreated,
    variables: (after) => ({ id: postId, after }),
    event: ({ commentCreated: { cursor, comment } }) => ({ cursor, node: comment }),
    liveCursor: after ? undefined : list?.liveCursor, // what is new is elsewhere
    known: (id) => list?.edges.some(({ node }) => node.id === id) ?? false,
    // What the viewer made belongs to both orders; what waited, to the list that it waited for.
    put: (comments, liveCursor) => insertComments(client.cache, postId, comments, liveCursor ? order : undefined, liveCursor),
    refetch,
  });
  const bar = (at: 'above' | 'below') => <NewsBar news={news} what="comment" at={at} shown={() => shown.current?.focus({ preventScroll: true })} />;
  return (
    <section id="comments" aria-labelledby="comments-title" className="comments">
      <div className="comments-head">
        <h2 id="comments-title" tabIndex={-1}>{count === 0 ? 'No comments yet' : `${count} ${count === 1 ? 'comment' : 'comments'}`}</h2>
        {count > 1 && (
          <Boundary>
            <Suspense fallback={<PaintedOrders />}>
              <Orders view={view} choose={choose} />
            </Suspense>
          </Boundary>
        )}
      </div>
      <Say postId={postId} />
      {linked && list && !list.edges.some(({ node }) => node.id === linked) && (
        <Boundary>
          <Suspense>
            <LinkedComment id={linked} {...of} />
          </Suspense>
        </Boundary>
      )}
      {!list && !error && count > 0 && <Skeleton rows={Math.min(count, 3)} />}
      {!list && error && <Problem error={error} retry={() => void refetch()} />}
      {threaded && (
        <Boundary>
          <Suspense fallback={<Skeleton rows={3} />}>
            <Threads {...of} news={news} />
          </Suspense>
        </Boundary>
      )}
      {list && !threaded && (
        <>
          {order === 'NEWEST_FIRST' && bar('above')}
          <ol className="comment-list" ref={shown} tabIndex={-1}>
            {list.edges.map(({ node }) => (
              <Comment key={node.id} comment={node} {...of} />
            ))}
          </ol>
          {order === 'OLDEST_FIRST' && !list.pageInfo.hasNextPage && bar('below')}
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

/** PaintedOrders is what the server has painted, which has the room of those that are loaded. */
const PaintedOrders = () => (
  <div className="orders">
    {['Newest first', 'Oldest first', 'Conversations'].map((label, at) => (
      <label key={label} className={at ? 'later' : ''}>
        <span>{label}</span>
      </label>
    ))}
  </div>
);

/** Say is where a comment is written. The form has its room before it is loaded. */
function Say({ postId }: { postId: string }) {
  const viewer = useViewer();
  const [path] = useLocation();
  if (viewer?.suspended) return null;
  if (viewer) {
    return (
      <Boundary>
        <Suspense fallback={<div className="comment-form" />}>
          <CommentForm postId={postId} />
        </Suspense>
      </Boundary>
    );
  }
  return (
    <p className="invitation">
      <Link href={`${pathOf('signIn')}?to=${encodeURIComponent(path)}`}>Sign in</Link> to leave a comment.
    </p>
  );
}
