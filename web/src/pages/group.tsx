import { useQuery } from '@apollo/client/react';
import { Link } from 'wouter';
import { graphql } from '../gql';
import { Byline } from '../parts/byline';
import { Endless } from '../parts/endless';
import { MemberButton } from '../parts/member-button';
import { NoGroup } from '../parts/no-group';
import { Page } from '../parts/page';
import { PostCard } from '../parts/post-card';
import { useWriter } from '../parts/viewer';
import { pathOf, routes } from '../paths';

const GroupQuery = graphql(`
  query GroupPage($name: String!, $after: String) {
    viewer {
      ...ViewerFields
    }
    group(name: $name) {
      id
      name
      title
      description
      memberCount
      viewerIsMember
      owner {
        id
        ...BylineUser
      }
      posts(first: 12, after: $after) {
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

/** GroupPage is a group, with what was published in it. */
export function GroupPage({ name }: { name: string }) {
  const answer = useQuery(GroupQuery, { variables: { name }, fetchPolicy: 'network-only', nextFetchPolicy: 'cache-first' });
  const writer = useWriter();
  const group = answer.data?.group;
  if (!group) return <NoGroup name={name} answer={answer} />;
  const { edges, pageInfo } = group.posts;
  return (
    <Page title={group.title} className="wide">
      <header className="profile">
        <h1 dir="auto">{group.title}</h1>
        <p className="profile-meta">
          <span>{group.name}</span>
          <span>
            made by <Byline user={group.owner} />
          </span>
          {writer && group.viewerIsMember && <Link href={`${routes.write}?group=${encodeURIComponent(group.name)}`}>Write in this group</Link>}
          {writer?.id === group.owner.id && <Link href={pathOf('editGroup', group.name)}>Edit this group</Link>}
          {writer && <Link href={routes.groups}>Your groups</Link>}
        </p>
        {group.description && <p className="bio" dir="auto">{group.description}</p>}
        <p className="follows">
          <Link href={pathOf('members', group.name)}>
            <span className="count">{group.memberCount}</span> {group.memberCount === 1 ? 'member' : 'members'}
          </Link>
          <MemberButton group={group} />
        </p>
      </header>
      {edges.length === 0 && !pageInfo.hasNextPage && (
        <div className="empty">
          <p>Nothing was written here yet.</p>
        </div>
      )}
      <div className="cards">
        {edges.map(({ node }) => (
          <PostCard key={node.id} post={node} />
        ))}
      </div>
      <Endless what="posts" more={pageInfo.hasNextPage} load={() => answer.fetchMore({ variables: { after: pageInfo.endCursor } })} />
    </Page>
  );
}
