import { useMutation, useQuery } from '@apollo/client/react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { graphql } from '../gql';
import { newKey } from '../idempotency';
import { lazily } from '../lazily';
import { failure, mistakes, type Mistake } from '../mistakes';
import { Endless } from '../parts/endless';
import { Field } from '../parts/field';
import { Form } from '../parts/form';
import { Page } from '../parts/page';
import { Problem, Skeleton } from '../parts/states';
import { useWriter } from '../parts/viewer';
import { pathOf, routes } from '../paths';
import { GroupPage } from './group';
import { MembersPage } from './members';

const GroupsQuery = graphql(`
  query GroupsPage($after: String) {
    viewer {
      id
      ...ViewerFields
      groups(first: 24, after: $after) {
        edges {
          cursor
          node {
            id
            name
            title
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

const CreateGroup = graphql(`
  mutation CreateGroup($input: CreateGroupInput!) {
    createGroup(input: $input) {
      group {
        id
        name
      }
      userErrors {
        code
        message
        field
      }
    }
  }
`);

const EditGroupPage = lazily(() => import('./edit-group'));

type Address = { name: string | undefined; page: string | undefined };

/** GroupsPage is a page of one group, or the viewer's groups: they are loaded together. */
export default function GroupsPage({ name, page }: Address) {
  if (!name) return <OwnGroups />;
  if (page === 'edit') return <EditGroupPage name={name} />;
  return page ? <MembersPage name={name} /> : <GroupPage name={name} />;
}

/** OwnGroups is the groups that the viewer is in, and where to make one. */
function OwnGroups() {
  const { data, error, refetch, fetchMore } = useQuery(GroupsQuery, { fetchPolicy: 'network-only', nextFetchPolicy: 'cache-first' });
  const writer = useWriter();
  const list = data?.viewer?.groups;
  return (
    <Page title="Your groups">
      <h1 className="page-title">Your groups</h1>
      {!data && !error && <Skeleton rows={3} />}
      {!data && error && <Problem error={error} retry={() => void refetch()} />}
      {data && !data.viewer && (
        <p>
          <Link href={`${pathOf('signIn')}?to=${encodeURIComponent(routes.groups)}`}>Sign in</Link> to see your groups.
        </p>
      )}
      {list && (
        <>
          {list.edges.length === 0 && !list.pageInfo.hasNextPage && (
            <div className="empty">
              <p>You are in no group yet.</p>
            </div>
          )}
          <ul className="people">
            {list.edges.map(({ node }) => (
              <li key={node.id}>
                <Link href={pathOf('group', node.name)}>{node.title}</Link>
                <span>{node.name}</span>
              </li>
            ))}
          </ul>
          <Endless what="groups" more={list.pageInfo.hasNextPage} load={() => fetchMore({ variables: { after: list.pageInfo.endCursor } })} />
        </>
      )}
      {writer && <NewGroup />}
    </Page>
  );
}

const fields = ['name', 'title', 'description'];
const empty = { name: '', title: '', description: '' };

function NewGroup() {
  const [text, setText] = useState(empty);
  const [key, setKey] = useState(newKey);
  const [refused, setRefused] = useState<readonly Mistake[]>([]);
  const [busy, setBusy] = useState(false);
  const [create] = useMutation(CreateGroup);
  const [, navigate] = useLocation();
  const change = (part: Partial<typeof empty>) => {
    setText({ ...text, ...part });
    setKey(newKey()); // another input
  };

  async function make() {
    setBusy(true);
    try {
      const { data } = await create({ variables: { input: { ...text, description: text.description || null, idempotencyKey: key } } });
      setRefused(mistakes('createGroup', data?.createGroup.userErrors, fields));
      if (data?.createGroup.group) navigate(pathOf('group', data.createGroup.group.name));
    } catch (error) {
      setRefused(failure(error));
    }
    setBusy(false);
  }

  return (
    <section className="page-end">
      <h2>Make a group</h2>
      <Form send={make} busy={busy} mistakes={refused} action={busy ? 'Making it' : 'Make the group'}>
        <Field label="Name" name="name" mistakes={refused} hint="3 to 30 letters, digits and _. Nobody else can ever have it.">
          {(control) => <input {...control} readOnly={busy} autoCapitalize="none" value={text.name} onChange={(event) => change({ name: event.target.value })} />}
        </Field>
        <Field label="Title" name="title" mistakes={refused}>
          {(control) => <input {...control} readOnly={busy} value={text.title} onChange={(event) => change({ title: event.target.value })} />}
        </Field>
        <Field label="Description" name="description" mistakes={refused}>
          {(control) => <textarea {...control} readOnly={busy} rows={3} value={text.description} onChange={(event) => change({ description: event.target.value })} />}
        </Field>
      </Form>
    </section>
  );
}
