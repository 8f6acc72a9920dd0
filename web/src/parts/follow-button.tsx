import type { ApolloCache } from '@apollo/client';
import { useMutation } from '@apollo/client/react';
import { graphql } from '../gql';
import { toldIfTakenBack } from '../taken-back';
import { useViewer } from './viewer';

const Follow = graphql(`
  mutation Follow($id: ID!) {
    followUser(input: { userId: $id }) {
      user {
        id
        followerCount
        viewerFollows
      }
      userErrors {
        code
        message
        field
      }
    }
  }
`);

const Unfollow = graphql(`
  mutation Unfollow($id: ID!) {
    unfollowUser(input: { userId: $id }) {
      user {
        id
        followerCount
        viewerFollows
      }
      userErrors {
        code
        message
        field
      }
    }
  }
`);

type Followed = { id: string; username: string; followerCount: number; viewerFollows?: boolean | null };

/** FollowButton counts at once, and takes it back where the server refuses. It is for a viewer, and not on their own page. */
export function FollowButton({ user: { id, username, followerCount, viewerFollows } }: { user: Followed }) {
  const viewer = useViewer();
  const follows = viewerFollows === true;
  const [follow] = useMutation(Follow);
  const [unfollow] = useMutation(Unfollow);
  if (!viewer || viewer.id === id) return null;

  function toggle() {
    const user = { __typename: 'User' as const, id, followerCount: followerCount + (follows ? -1 : 1), viewerFollows: !follows };
    const answer = { user, userErrors: [] };
    const options = { variables: { id }, update: (cache: ApolloCache) => void cache.evict({ id: cache.identify(viewer!)!, fieldName: 'followingCount' }) };
    const followThem = () => follow({ ...options, optimisticResponse: { __typename: 'Mutation', followUser: { __typename: 'FollowUserPayload', ...answer } } });
    const noMore = () => unfollow({ ...options, optimisticResponse: { __typename: 'Mutation', unfollowUser: { __typename: 'UnfollowUserPayload', ...answer } } });
    return follows
      ? toldIfTakenBack('unfollowUser', noMore().then(({ data }) => data?.unfollowUser.userErrors))
      : toldIfTakenBack('followUser', followThem().then(({ data }) => data?.followUser.userErrors));
  }

  return (
    <button type="button" className="follow" aria-pressed={follows} onClick={toggle}>
      {follows ? 'Following' : 'Follow'}
      <span className="unseen"> {username}</span>
    </button>
  );
}
