import { Link } from 'wouter';
import { graphql, readFragment, type FragmentType } from '../gql';
import { pathOf } from '../paths';

export const BylineUser = graphql(`
  fragment BylineUser on User {
    id
    username
  }
`);

export function Byline({ user: masked }: { user: FragmentType<typeof BylineUser> }) {
  const user = readFragment(BylineUser, masked);
  return (
    <Link className="byline" href={pathOf('user', user.username)}>
      {user.username}
    </Link>
  );
}
