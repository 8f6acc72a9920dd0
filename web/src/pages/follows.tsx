import { useQuery } from '@apollo/client/react';
import { graphql, readFragment } from '../gql';
import { Byline } from '../parts/byline';
import { Endless } from '../parts/endless';
import { NoPerson } from '../parts/no-person';
import { Page } from '../parts/page';

const FollowsUsers = graphql(`
  fragment FollowsUsers on UserConnection {
    edges {
      cursor
      node {
        id
        username
        displayName
        ...BylineUser
      }
    }
    pageInfo {
      hasNextPage
      endCursor
    }
  }
`);

const FollowsQuery = graphql(`
  query FollowsPage($username: String!, $following: Boolean!, $after: String) {
    viewer {
      ...ViewerFields
    }
    user(username: $username) {
      id
      username
      displayName
      ...BylineUser
      followers(first: 24, after: $after) @skip(if: $following) {
        ...FollowsUsers
      }
      following(first: 24, after: $after) @include(if: $following) {
        ...FollowsUsers
      }
    }
  }
`);

/** FollowsPage names who follows a user, or whom the user follows. */
export default function FollowsPage({ username, following }: { username: string; following: boolean }) {
  const answer = useQuery(FollowsQuery, { variables: { username, following }, fetchPolicy: 'network-only', nextFetchPolicy: 'cache-first' });
  const user = answer.data?.user;
  const list = readFragment(FollowsUsers, user?.followers ?? user?.following);
  if (!user || !list) return <NoPerson username={username} answer={answer} />;
  const name = user.displayName ?? user.username;
  return (
    <Page title={following ? `Whom ${name} follows` : `Who follows ${name}`}>
      <h1 className="page-title">
        {following ? 'Whom' : 'Who follows'} <Byline user={user} />
        {following && ' follows'}
      </h1>
      {list.edges.length === 0 && !list.pageInfo.hasNextPage && (
        <div className="empty">
          <p>{following ? `${name} follows nobody yet.` : `Nobody follows ${name} yet.`}</p>
        </div>
      )}
      <ul className="people">
        {list.edges.map(({ node }) => (
          <li key={node.id}>
            <Byline user={node} />
            {node.displayName && <span>{node.username}</span>}
          </li>
        ))}
      </ul>
      <Endless what="people" more={list.pageInfo.hasNextPage} load={() => answer.fetchMore({ variables: { after: list.pageInfo.endCursor } })} />
    </Page>
  );
}
