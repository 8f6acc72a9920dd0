import { useQuery } from '@apollo/client/react';
import { Link } from 'wouter';
import { graphql } from '../gql';
import { Byline } from '../parts/byline';
import { NoGroup } from '../parts/no-group';
import { Page } from '../parts/page';
import { People } from '../parts/people';
import { pathOf } from '../paths';

const MembersQuery = graphql(`
  query MembersPage($name: String!, $after: String) {
    viewer {
      ...ViewerFields
    }
    group(name: $name) {
      id
      name
      title
      moderators {
        id
        ...BylineUser
      }
      newestMembers(first: 24, after: $after) {
        ...PeopleUsers
      }
    }
  }
`);

/** MembersPage names who is in a group, who joined last first. */
export function MembersPage({ name }: { name: string }) {
  const answer = useQuery(MembersQuery, { variables: { name }, fetchPolicy: 'network-only', nextFetchPolicy: 'cache-first' });
  const group = answer.data?.group;
  if (!group) return <NoGroup name={name} answer={answer} />;
  return (
    <Page title={`Members of ${group.title}`}>
      <h1 className="page-title">
        Members of <Link href={pathOf('group', group.name)}>{group.title}</Link>
      </h1>
      {group.moderators.length > 0 && (
        <p className="profile-meta">
          Moderated by
          {group.moderators.map((user) => (
            <Byline key={user.id} user={user} />
          ))}
        </p>
      )}
      <People list={group.newestMembers} none="Nobody is in this group." load={(after) => answer.fetchMore({ variables: { after } })} />
    </Page>
  );
}
