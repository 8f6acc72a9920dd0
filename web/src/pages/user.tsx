import { useQuery } from '@apollo/client/react';
import { Suspense } from 'react';
import { Link, useSearchParams } from 'wouter';
import { graphql } from '../gql';
import { lazily } from '../lazily';
import { placeOf } from '../lists';
import { useChanges } from '../live/use-changes';
import { Boundary } from '../parts/boundary';
import { Endless } from '../parts/endless';
import { FollowButton } from '../parts/follow-button';
import { ByMonth, Months, nameOf } from '../parts/months';
import { NoPerson } from '../parts/no-person';
import { Page } from '../parts/page';
import { PostCard } from '../parts/post-card';
import { useViewer } from '../parts/viewer';
import { pathOf, routes } from '../paths';

export const UserQuery = graphql(`
  query UserPage($username: String!, $after: String, $createdFrom: DateTime, $createdTo: DateTime) {
    viewer {
      ...ViewerFields
    }
    user(username: $username) {
      id
      username
      displayName
      bio
      suspended
      viewerCanModerate
      createdAt
      followerCount
      followingCount
      viewerFollows
      posts(first: 12, after: $after, createdFrom: $createdFrom, createdTo: $createdTo) {
        liveCursor
        edges {
          cursor
          node {
            id
            ...PostCardPost
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

const Moderate = lazily(() => import('../parts/moderate'));

const monthName = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric' });

export default function UserPage({ username }: { username: string }) {
  const [address] = useSearchParams();
  const month = address.get('month');
  const answer = useQuery(UserQuery, { variables: { username, ...placeOf(address) } });
  const viewer = useViewer();
  const user = answer.data?.user;
  useChanges(user?.posts.liveCursor, answer.refetch);
  if (!user) return <NoPerson username={username} answer={answer} />;
  const own = viewer?.id === user.id;
  return (
    <Page title={user.displayName ?? user.username} className="wide">
      <header className="profile">
        <h1 dir="auto">{user.displayName ?? user.username}</h1>
        <p className="profile-meta">
          <span>{user.username}</span>
          <span>writes here since {monthName.format(new Date(user.createdAt))}</span>
          <ByMonth />
          {user.viewerCanModerate && (
            <Boundary>
              <Suspense>
                <Moderate id={user.id} username={user.username} suspended={!!user.suspended} />
              </Suspense>
            </Boundary>
          )}
          {own && <Link href={routes.home}>Whom you follow</Link>}
          {own && <Link href={routes.liked}>What you liked</Link>}
          {own && <Link href={routes.bookmarks}>Your bookmarks</Link>}
          {own && <Link href={routes.groups}>Your groups</Link>}
          {own && <Link href={routes.settings}>Edit your name and profile</Link>}
        </p>
        {user.bio && <p className="bio" dir="auto">{user.bio}</p>}
        <p className="follows">
          <Link href={pathOf('followers', user.username)}>
            <span className="count">{user.followerCount}</span> {user.followerCount === 1 ? 'follower' : 'followers'}
          </Link>
          <Link href={pathOf('following', user.username)}>
            <span className="count">{user.followingCount}</span> following
          </Link>
          <FollowButton user={user} />
        </p>
      </header>
      {month && (
        <>
          <h2 className="month">{nameOf(month)}</h2>
          <Months of={month} />
        </>
      )}
      {user.posts.edges.length === 0 && (
        <div className="empty">
          <p>{month ? 'Nothing was written in this month.' : own ? 'You have not written anything yet.' : 'Nothing written yet.'}</p>
          {own && !month && (
            <Link className="action" href={routes.write}>
              Write your first post
            </Link>
          )}
        </div>
      )}
      <div className="cards">
        {user.posts.edges.map(({ node }) => (
          <PostCard key={node.id} post={node} />
        ))}
      </div>
      <Endless
        what="posts"
        more={user.posts.pageInfo.hasNextPage}
        load={() => answer.fetchMore({ variables: { after: user.posts.pageInfo.endCursor } })}
      />
    </Page>
  );
}
