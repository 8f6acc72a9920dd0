import { Link } from 'wouter';
import { graphql, readFragment, type FragmentType } from '../gql';
import { pathOf } from '../paths';

export const BylineUser = graphql(`
  fragment BylineUser on User {
    id
    username
    displayName
  }
`);

export function Byline({ user: masked }: { user: FragmentType<typeof BylineUser> }) {
  const user = readFragment(BylineUser, masked);
  return (
    <Link className="byline" title={user.username} dir="auto" href={pathOf('user', user.username)}>
      {user.displayName ?? user.username}
    </Link>
  );
}
