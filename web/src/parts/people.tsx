import { graphql, readFragment, type FragmentType } from '../gql';
import { Byline } from './byline';
import { Endless } from './endless';

export const PeopleUsers = graphql(`
  fragment PeopleUsers on UserConnection {
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

type Props = { list: FragmentType<typeof PeopleUsers>; none: string; load: (after?: string | null) => Promise<unknown> };

/** People is a list of users, which goes on as its end comes near. */
export function People({ list: masked, none, load }: Props) {
  const { edges, pageInfo } = readFragment(PeopleUsers, masked);
  return (
    <>
      {edges.length === 0 && !pageInfo.hasNextPage && (
        <div className="empty">
          <p>{none}</p>
        </div>
      )}
      <ul className="people">
        {edges.map(({ node }) => (
          <li key={node.id}>
            <Byline user={node} />
            {node.displayName && <span>{node.username}</span>}
          </li>
        ))}
      </ul>
      <Endless what="people" more={pageInfo.hasNextPage} load={() => load(pageInfo.endCursor)} />
    </>
  );
}
