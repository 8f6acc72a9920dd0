import { useApolloClient, useMutation, useQuery } from '@apollo/client/react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { graphql } from '../gql';
import type { EditedGroupQuery, UpdateGroupInput } from '../gql/graphql';
import { gone, mistakes, refusal } from '../mistakes';
import { notify } from '../notice';
import { OnceAsked } from '../parts/confirm';
import ConfirmDialog from '../parts/confirm-dialog';
import { Conflict } from '../parts/conflict';
import { Field } from '../parts/field';
import { Form } from '../parts/form';
import { NoGroup } from '../parts/no-group';
import { Page } from '../parts/page';
import { Restored } from '../parts/restored';
import { pathOf, routes } from '../paths';
import { describe } from '../problems';
import { useEdit } from '../use-edit';

const EditedGroup = graphql(`
  query EditedGroup($name: String!) {
    viewer {
      ...ViewerFields
      id
    }
    group(name: $name) {
      id
      name
      title
      description
      version
      owner {
        id
      }
      moderators {
        id
        username
      }
    }
  }
`);

const UserOfName = graphql(`
  query UserOfName($username: String!) {
    user(username: $username) {
      id
    }
  }
`);

const UpdateGroup = graphql(`
  mutation UpdateGroup($input: UpdateGroupInput!) {
    updateGroup(input: $input) {
      group {
        id
        title
        description
        version
      }
      userErrors {
        code
        message
        field
      }
    }
  }
`);

const Deletion = graphql(`
  mutation DeleteGroup($id: ID!) {
    deleteGroup(input: { id: $id }) {
      deletedId
      userErrors {
        code
        message
        field
      }
    }
  }
`);

type Group = NonNullable<EditedGroupQuery['group']>;

/** EditGroupPage is where a group's owner says what it is about, and who moderates it. */
export default function EditGroupPage({ name }: { name: string }) {
  const answer = useQuery(EditedGroup, { variables: { name }, fetchPolicy: 'network-only', nextFetchPolicy: 'cache-first' });
  const group = answer.data?.group;
  if (!group) return <NoGroup name={name} answer={answer} />;
  const own = answer.data?.viewer?.id === group.owner.id;
  return (
    <Page title={`Edit ${group.title}`}>
      <h1 className="page-title">Edit the group {group.name}</h1>
      {own ? <Edit key={group.id} group={group} /> : <p>Only its owner edits a group.</p>}
      {own && <Delete id={group.id} />}
    </Page>
  );
}

const labels = { title: 'Title', description: 'Description', moderatorIds: 'Moderators' };

type Text = typeof labels;

const textOf = ({ title, description, moderators }: Group): Text => ({
  title,
  description: description ?? '',
  moderatorIds: moderators.map(({ username }) => username).join(', '),
});

function Edit({ group }: { group: Group }) {
  const client = useApolloClient();
  const [update] = useMutation(UpdateGroup);
  const [, navigate] = useLocation();
  const edit = useEdit<Text>({
    place: `group.${group.id}`,
    seen: { version: group.version, text: textOf(group) },
    async save({ title, description, moderatorIds }, expectedVersion) {
      const input: UpdateGroupInput = { id: group.id, expectedVersion };
      if (title !== undefined) input.title = title;
      if (description !== undefined) input.description = description || null;
      if (moderatorIds !== undefined) {
        const names = moderatorIds.split(/[\s,]+/).filter(Boolean);
        const ids = await Promise.all(names.map(idOf));
        const unknown = names.filter((_, at) => !ids[at]);
        if (unknown.length > 0) return { mistakes: [{ field: 'moderatorIds', message: `name ${unknown.join(' and ')}, and nobody is called that` }], conflict: false };
        input.moderatorIds = ids.filter((id) => id !== undefined);
      }
      const { data } = await update({ variables: { input } });
      return refusal('updateGroup', data?.updateGroup.userErrors, Object.keys(labels));
    },
    async read() {
      const { data } = await client.query({ query: EditedGroup, variables: { name: group.name }, fetchPolicy: 'network-only' });
      return data?.group ? { version: data.group.version, text: textOf(data.group) } : null;
    },
    gone: [{ message: 'The group was deleted meanwhile.' }],
    done: () => navigate(pathOf('group', group.name), { replace: true }),
  });

  async function idOf(username: string) {
    const { data } = await client.query({ query: UserOfName, variables: { username }, fetchPolicy: 'network-only' });
    return data?.user?.id;
  }

  const input = (name: keyof Text) => ({
    value: edit.text[name],
    readOnly: edit.busy,
    onChange: (event: React.ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => edit.change({ [name]: event.target.value }),
  });
  if (edit.theirs) return <Conflict what="group" labels={labels} yours={edit.text} theirs={edit.theirs.text} resolve={edit.resolve} />;
  return (
    <Form
      send={edit.send}
      busy={edit.busy}
      mistakes={edit.mistakes}
      action={edit.busy ? 'Saving' : 'Save'}
      others={
        <Link href={pathOf('group', group.name)} className="button quiet">
          Cancel
        </Link>
      }
    >
      <Restored draft={edit} />
      <Field label={labels.title} name="title" mistakes={edit.mistakes}>
        {(control) => <input {...control} {...input('title')} />}
      </Field>
      <Field label={labels.description} name="description" mistakes={edit.mistakes}>
        {(control) => <textarea {...control} {...input('description')} rows={3} />}
      </Field>
      <Field label={labels.moderatorIds} name="moderatorIds" mistakes={edit.mistakes} hint="Usernames, at most 20. They delete posts of the group, and comments on them, as you do.">
        {(control) => <input {...control} {...input('moderatorIds')} autoCapitalize="none" spellCheck={false} />}
      </Field>
    </Form>
  );
}

/** Delete asks once more, deletes the group, and leads to the owner's groups. */
function Delete({ id }: { id: string }) {
  const [asking, setAsking] = useState(false);
  const [, navigate] = useLocation();
  const [remove] = useMutation(Deletion);

  async function deleteIt() {
    try {
      const { data } = await remove({ variables: { id } });
      const [refused] = mistakes('deleteGroup', data?.deleteGroup.userErrors);
      if (refused && !gone(data?.deleteGroup.userErrors)) return notify(refused.message);
      navigate(routes.groups);
      notify('The group was deleted.');
    } catch (error) {
      notify(describe(error));
    }
  }

  return (
    <section className="page-end">
      <h2>Delete the group</h2>
      <p>Its posts stay: they are their authors’.</p>
      <button type="button" className="quiet" onClick={() => setAsking(true)}>
        Delete the group
      </button>
      <OnceAsked open={asking} close={() => setAsking(false)}>
        <ConfirmDialog
          open={asking}
          close={() => setAsking(false)}
          title="Delete this group?"
          text="It will be gone for everybody. Nobody can ever use its name again."
          action="Delete it"
          confirm={() => void deleteIt()}
        />
      </OnceAsked>
    </section>
  );
}
