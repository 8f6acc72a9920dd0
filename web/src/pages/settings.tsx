import { useApolloClient, useMutation, useQuery } from '@apollo/client/react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { graphql } from '../gql';
import type { UpdateUserInput, SettingsPageQuery } from '../gql/graphql';
import { lazily } from '../lazily';
import { notify } from '../notice';
import { OnceAsked } from '../parts/confirm';
import { Conflict } from '../parts/conflict';
import { Field } from '../parts/field';
import { Form } from '../parts/form';
import { Page } from '../parts/page';
import { Restored } from '../parts/restored';
import { Problem, Skeleton } from '../parts/states';
import { pathOf, routes } from '../paths';
import { refusal } from '../mistakes';
import { useEdit } from '../use-edit';

const SettingsQuery = graphql(`
  query SettingsPage {
    viewer {
      ...ViewerFields
      id
      username
      displayName
      bio
      email
      suspended
      version
    }
  }
`);

const UpdateUser = graphql(`
  mutation UpdateUser($input: UpdateUserInput!) {
    updateUser(input: $input) {
      user {
        id
        username
        displayName
        bio
        email
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

const DeleteAccount = lazily(() => import('../parts/delete-account'));

type Account = NonNullable<SettingsPageQuery['viewer']>;

export default function SettingsPage() {
  const { data, error, refetch } = useQuery(SettingsQuery, { fetchPolicy: 'network-only', nextFetchPolicy: 'cache-first' });
  return (
    <Page title="Your profile">
      <h1 className="page-title">Your profile</h1>
      {!data && !error && <Skeleton rows={3} />}
      {!data && error && <Problem error={error} retry={() => void refetch()} />}
      {data && !data.viewer && (
        <p>
          <Link href={`${pathOf('signIn')}?to=${encodeURIComponent(routes.settings)}`}>Sign in</Link> to edit your profile.
        </p>
      )}
      {data?.viewer && <Profile key={data.viewer.id} account={data.viewer} />}
      {data?.viewer && !data.viewer.suspended && <Leave username={data.viewer.username} />}
    </Page>
  );
}

const labels = { username: 'Username', displayName: 'Name to show', bio: 'About you', email: 'E-mail' };

type Profile = typeof labels;

const textOf = ({ username, displayName, bio, email }: Account): Profile => ({ username, displayName: displayName ?? '', bio: bio ?? '', email: email ?? '' });

/** inputOf is what was changed: null clears a field. A username can't be cleared. */
function inputOf({ username, ...others }: Partial<Profile>): UpdateUserInput {
  const cleared = Object.fromEntries(Object.entries(others).map(([name, value]) => [name, value || null]));
  return { ...cleared, ...(username !== undefined && { username }) };
}

function Profile({ account }: { account: Account }) {
  const client = useApolloClient();
  const [update] = useMutation(UpdateUser);
  const [, navigate] = useLocation();
  const edit = useEdit<Profile>({
    place: 'profile',
    seen: { version: account.version, text: textOf(account) },
    async save(changes, expectedVersion) {
      const { data } = await update({ variables: { input: { ...inputOf(changes), expectedVersion } } });
      return refusal('updateUser', data?.updateUser.userErrors, Object.keys(labels));
    },
    async read() {
      const { data } = await client.query({ query: SettingsQuery, fetchPolicy: 'network-only' });
      return data?.viewer ? { version: data.viewer.version, text: textOf(data.viewer) } : null;
    },
    gone: [{ message: 'Your account was deleted meanwhile.' }],
    done({ username }) {
      notify('Your profile was saved.');
      navigate(pathOf('user', username));
    },
  });

  const input = (name: keyof Profile) => ({
    value: edit.text[name],
    readOnly: edit.busy,
    onChange: (event: React.ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => edit.change({ [name]: event.target.value }),
  });
  if (edit.theirs) return <Conflict what="profile" labels={labels} yours={edit.text} theirs={edit.theirs.text} resolve={edit.resolve} />;
  return (
    <Form
      className="narrow"
      send={edit.send}
      busy={edit.busy}
      mistakes={edit.mistakes}
      action={edit.busy ? 'Saving' : 'Save'}
      others={
        <Link href={pathOf('user', account.username)} className="button quiet">
          Cancel
        </Link>
      }
    >
      <Restored draft={edit} />
      <Field label={labels.username} name="username" mistakes={edit.mistakes} hint="Letters, digits and _. All your posts and comments show the new name soon.">
        {(control) => <input {...control} {...input('username')} autoComplete="username" autoCapitalize="none" spellCheck={false} />}
      </Field>
      <Field label={labels.displayName} name="displayName" mistakes={edit.mistakes}>
        {(control) => <input {...control} {...input('displayName')} autoComplete="name" />}
      </Field>
      <Field label={labels.bio} name="bio" mistakes={edit.mistakes}>
        {(control) => <textarea {...control} {...input('bio')} rows={4} />}
      </Field>
      <Field label={labels.email} name="email" mistakes={edit.mistakes} hint="Nobody but you sees it.">
        {(control) => <input {...control} {...input('email')} type="email" autoComplete="email" />}
      </Field>
    </Form>
  );
}

function Leave({ username }: { username: string }) {
  const [asking, setAsking] = useState(false);
  return (
    <section className="page-end narrow">
      <h2>Leave</h2>
      <p>Deleting your account deletes what you have written, and what you like, with it.</p>
      <button type="button" className="quiet" onClick={() => setAsking(true)}>
        Delete your account
      </button>
      <OnceAsked open={asking} close={() => setAsking(false)}>
        {asking && <DeleteAccount username={username} close={() => setAsking(false)} />}
      </OnceAsked>
    </section>
  );
}
