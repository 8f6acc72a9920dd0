import { useMutation, useQuery } from '@apollo/client/react';
import { useState } from 'react';
import { Link, useLocation } from 'wouter';
import { graphql } from '../gql';
import type { UpdateUserInput, SettingsPageQuery } from '../gql/graphql';
import { notify } from '../notice';
import { Field, Mistakes } from '../parts/field';
import { Page } from '../parts/page';
import { Problem, Skeleton } from '../parts/states';
import { pathOf, routes } from '../paths';
import { describe, type UserError } from '../problems';

const SettingsQuery = graphql(`
  query SettingsPage {
    viewer {
      ...ViewerFields
      id
      username
      displayName
      bio
      email
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
      {data?.viewer && <Profile key={data.viewer.version} account={data.viewer} />}
    </Page>
  );
}

const fields = ['username', 'displayName', 'bio', 'email'] as const;

/** changes holds what was changed alone: null would clear a field, and what is left out stays. */
function changes(account: Account, form: Record<(typeof fields)[number], string>): UpdateUserInput {
  const input: UpdateUserInput = { expectedVersion: account.version };
  for (const field of fields) {
    if (form[field] === (account[field] ?? '')) continue;
    input[field] = field === 'username' ? form[field] : form[field] || null;
  }
  return input;
}

function Profile({ account }: { account: Account }) {
  const [form, setForm] = useState({
    username: account.username,
    displayName: account.displayName ?? '',
    bio: account.bio ?? '',
    email: account.email ?? '',
  });
  const [errors, setErrors] = useState<readonly UserError[]>([]);
  const [update, { loading }] = useMutation(UpdateUser);
  const [, navigate] = useLocation();

  async function save() {
    try {
      const { data } = await update({ variables: { input: changes(account, form) } });
      setErrors(data?.updateUser.userErrors ?? []);
      const user = data?.updateUser.user;
      if (!user) return;
      notify('Your profile was saved.');
      navigate(pathOf('user', user.username));
    } catch (error) {
      setErrors([{ code: '', message: describe(error) }]);
    }
  }

  const input = (name: (typeof fields)[number]) => ({
    value: form[name],
    onChange: (event: React.ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) => setForm({ ...form, [name]: event.target.value }),
  });
  return (
    <form
      className="narrow"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <Field label="Username" name="username" errors={errors} hint="Letters, digits and _. All your posts and comments show the new name soon.">
        {(control) => <input {...control} {...input('username')} autoComplete="username" autoCapitalize="none" spellCheck={false} />}
      </Field>
      <Field label="Name to show" name="displayName" errors={errors}>
        {(control) => <input {...control} {...input('displayName')} autoComplete="name" />}
      </Field>
      <Field label="About you" name="bio" errors={errors}>
        {(control) => <textarea {...control} {...input('bio')} rows={4} />}
      </Field>
      <Field label="E-mail" name="email" errors={errors} hint="Nobody but you sees it.">
        {(control) => <input {...control} {...input('email')} type="email" autoComplete="email" />}
      </Field>
      <Mistakes errors={errors} fields={fields} />
      <p className="actions">
        <button type="submit" disabled={loading}>
          {loading ? 'Saving' : 'Save'}
        </button>
        <Link href={pathOf('user', account.username)} className="button quiet">
          Cancel
        </Link>
      </p>
    </form>
  );
}
