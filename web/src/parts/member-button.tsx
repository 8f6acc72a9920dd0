import { useMutation } from '@apollo/client/react';
import { graphql } from '../gql';
import { toldIfTakenBack } from '../taken-back';
import { useWriter } from './viewer';

const Join = graphql(`
  mutation Join($id: ID!) {
    joinGroup(input: { groupId: $id }) {
      group {
        id
        memberCount
        viewerIsMember
      }
      userErrors {
        code
        message
        field
      }
    }
  }
`);

const Leave = graphql(`
  mutation Leave($id: ID!) {
    leaveGroup(input: { groupId: $id }) {
      group {
        id
        memberCount
        viewerIsMember
      }
      userErrors {
        code
        message
        field
      }
    }
  }
`);

type Joined = { id: string; title: string; memberCount: number; viewerIsMember?: boolean | null };

/** MemberButton counts at once, and takes it back where the server refuses. It is for who may write. */
export function MemberButton({ group: { id, title, memberCount, viewerIsMember } }: { group: Joined }) {
  const writer = useWriter();
  const isMember = viewerIsMember === true;
  const [join] = useMutation(Join);
  const [leave] = useMutation(Leave);
  if (!writer) return null;

  function toggle() {
    const group = { __typename: 'Group' as const, id, memberCount: memberCount + (isMember ? -1 : 1), viewerIsMember: !isMember };
    const answer = { group, userErrors: [] };
    const options = { variables: { id } };
    const joinIt = () => join({ ...options, optimisticResponse: { __typename: 'Mutation', joinGroup: { __typename: 'JoinGroupPayload', ...answer } } });
    const leaveIt = () => leave({ ...options, optimisticResponse: { __typename: 'Mutation', leaveGroup: { __typename: 'LeaveGroupPayload', ...answer } } });
    return isMember
      ? toldIfTakenBack('leaveGroup', leaveIt().then(({ data }) => data?.leaveGroup.userErrors))
      : toldIfTakenBack('joinGroup', joinIt().then(({ data }) => data?.joinGroup.userErrors));
  }

  return (
    <button type="button" className="follow" aria-pressed={isMember} onClick={toggle}>
      {isMember ? 'Member' : 'Join'}
      <span className="unseen"> {isMember ? 'of' : ''} {title}</span>
    </button>
  );
}
