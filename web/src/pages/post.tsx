import { useQuery } from '@apollo/client/react';
import { Suspense, useEffect, useState } from 'react';
import { Link, useSearchParams } from 'wouter';
import { graphql } from '../gql';
import { hasCode } from '../client';
import { lazily } from '../lazily';
import { behind } from '../lists';
import { follow } from '../live/follow';
import { Boundary } from '../parts/boundary';
import { Byline } from '../parts/byline';
import { Comments } from '../parts/comments';
import { LikeButton } from '../parts/like-button';
import { LikedBy } from '../parts/liked-by';
import { Page } from '../parts/page';
import Prose from '../parts/prose';
import { ReadingTime } from '../parts/reading-time';
import { Problem, Skeleton } from '../parts/states';
import { AskViewer } from '../parts/viewer';
import { When } from '../parts/when';
import { pathOf, routes } from '../paths';
import { useToken } from '../session';

export const PostQuery = graphql(`
  query PostPage($id: ID!, $after: String) {
    viewer {
      ...ViewerFields
    }
    post(id: $id) {
      id
      title
      summary # for the page's head, which the server writes
      wordCount
      content
      createdAt
      updatedAt
      commentCount
      viewerHasBookmarked
      viewerCanDelete
      group {
        id
        name
        title
      }
      author {
        id
        ...BylineUser
      }
      ...LikeButtonPost
      ...LikedByPost
      ...NewestComments
    }
  }
`);

const PostCounts = graphql(`
  subscription PostCounts($id: ID!) {
    postChanged(id: $id) {
      post {
        id
        commentCount
        likeCount
      }
      deletedId
    }
  }
`);

const BookmarkButton = lazily(() => import('../parts/bookmark-button'));
const OwnerActions = lazily(() => import('../parts/owner-actions'));

export default function PostPage({ id }: { id: string }) {
  const { data, error, refetch, client } = useQuery(PostQuery, { variables: { id, ...behind(useSearchParams()[0].get('after')) } });
  const post = data?.post;
  const [deleted, setDeleted] = useState(false);
  const token = useToken();
  const there = !!post && !deleted;
  useEffect(() => {
    if (!there) return;
    return follow(client, {
      query: PostCounts,
      after: '', // it begins with the counts as they are, so it has no cursor
      variables: () => ({ id }),
      next({ postChanged: { deletedId } }) {
        if (deletedId) setDeleted(true); // the cache shows the counts
        return '';
      },
      expired: refetch,
    });
  }, [client, there, id, refetch]);
  if (post) {
    return (
      <Page title={post.title}>
        <div role="status">{deleted && <p className="deleted">This post was deleted while you were reading.</p>}</div>
        <article>
          <header className="post-head">
            <h1 dir="auto">{post.title}</h1>
            <p className="post-meta">
              <span>
                By <Byline user={post.author} />
              </span>
              {post.group && (
                <span>
                  in <Link href={pathOf('group', post.group.name)}>{post.group.title}</Link>
                </span>
              )}
              <When time={post.createdAt} />
              <ReadingTime words={post.wordCount} />
              {post.updatedAt !== post.createdAt && (
                <span>
                  edited <When time={post.updatedAt} />
                </span>
              )}
              {token && (
                <Boundary>
                  <Suspense>
                    <OwnerActions id={post.id} authorId={post.author.id} mayDelete={!!post.viewerCanDelete} />
                  </Suspense>
                </Boundary>
              )}
            </p>
          </header>
          <Prose text={post.content} />
          <footer className="post-foot">
            <LikeButton post={post} />
            <LikedBy post={post} />
            {token && (
              <Boundary>
                <Suspense>
                  <BookmarkButton id={post.id} kept={!!post.viewerHasBookmarked} />
                </Suspense>
              </Boundary>
            )}
          </footer>
        </article>
        <Comments postId={post.id} mayDelete={!!post.viewerCanDelete} count={post.commentCount} />
      </Page>
    );
  }
  if (error && !hasCode(error, 'BAD_USER_INPUT')) {
    return (
      <Page title="Post">
        <Problem error={error} retry={() => void refetch()} />
      </Page>
    );
  }
  if (data || error) {
    return (
      <Page title="No such post">
        <AskViewer />
        <h1>No such post</h1>
        <p>It was deleted, or never was.</p>
        <p>
          <Link href={routes.feed}>The newest posts</Link>
        </p>
      </Page>
    );
  }
  return (
    <Page title="Loading">
      <Skeleton rows={5} />
    </Page>
  );
}
