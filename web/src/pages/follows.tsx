import { useQuery } from '@apollo/client/react';
import { graphql } from '../gql';
import { Byline } from '../parts/byline';
import { NoPerson } from '../parts/no-person';
import { Page } from '../parts/page';
import { People } from '../parts/people';

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
        ...PeopleUsers
      }
      following(first: 24, after: $after) @include(if: $following) {
        ...PeopleUsers
      }
    }
  }
`);

/** FollowsPage names who follows a user, or whom the user follows. */
export default function FollowsPage({ username, following }: { username: string; following: boolean }) {
  const answer = useQuery(FollowsQuery, { variables: { username, following }, fetchPolicy: 'network-only', nextFetchPolicy: 'cache-first' });
  const user = answer.data?.user;
  const list = user?.followers ?? user?.following;
  if (!user || !list) return <NoPerson username={username} answer={answer} />;
  const name = user.displayName ?? user.username;
  return (
    <Page title={following ? `Whom ${name} follows` : `Who follows ${name}`}>
      <h1 className="page-title">
        {following ? 'Whom' : 'Who follows'} <Byline user={user} />
        {following && ' follows'}
      </h1>
      <People list={list} none={following ? `${name} follows nobody yet.` : `Nobody follows ${name} yet.`} load={(after) => answer.fetchMore({ variables: { after } })} />
    </Page>
  );
}
