import { useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { graphql } from '../gql';
import { hasCode, newClient } from '../client';
import { newKey } from '../idempotency';
import { notify } from '../notice';
import { Field, Mistakes } from '../parts/field';
import { Page } from '../parts/page';
import { AskViewer } from '../parts/viewer';
import { routes } from '../paths';
import { describe, type UserError } from '../problems';
import { devSubject, signIn } from '../session';

const Account = graphql(`
  query Account {
    viewer {
      ...ViewerFields
    }
  }
`);

const CreateUser = graphql(`
  mutation CreateUser($input: CreateUserInput!) {
    createUser(input: $input) {
      user {
        ...ViewerFields
      }
      userErrors {
        code
        message
        field
      }
    }
  }
`);

export default function SignInPage() {
  const [stranger, setStranger] = useState('');
  const [, navigate] = useLocation();
  const [parameters] = useSearchParams();

  function enter(token: string) {
    const to = parameters.get('to') ?? '';
    signIn(token);
    notify('');
    navigate(/^\/(?!\/)/.test(to) ? to : routes.feed, { replace: true }); // an address of ours alone
  }

  return (
    <Page title="Sign in">
      <AskViewer />
      {stranger ? <NewAccount token={stranger} enter={enter} /> : <Token enter={enter} meet={setStranger} />}
    </Page>
  );
}

function Token({ enter, meet }: { enter: (token: string) => void; meet: (token: string) => void }) {
  const [token, setToken] = useState(devSubject);
  const [errors, setErrors] = useState<readonly UserError[]>([]);
  const [loading, setLoading] = useState(false);

  async function check() {
    const given = token.trim();
    if (!given) return setErrors([{ code: '', message: 'must not be empty', field: ['token'] }]);
    setLoading(true);
    setErrors([]);
    try {
      const { data } = await newClient(given).query({ query: Account, errorPolicy: 'none' });
      if (data?.viewer) enter(given);
      else meet(given);
    } catch (error) {
      const refused = hasCode(error, 'UNAUTHENTICATED');
      setErrors([refused ? { code: '', message: 'is not accepted by this server', field: ['token'] } : { code: '', message: describe(error) }]);
    }
    setLoading(false);
  }

  return (
    <form
      className="narrow"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void check();
      }}
    >
      <h1 className="page-title">Sign in</h1>
      {devSubject ? (
        <Field label="Name" name="token" errors={errors} hint="This server is for development: it takes you at your word. Try alice, or a name of your own.">
          {(control) => <input {...control} value={token} onChange={(event) => setToken(event.target.value)} autoCapitalize="none" spellCheck={false} />}
        </Field>
      ) : (
        <Field label="Token" name="token" errors={errors} hint="A JSON Web Token of this server’s issuer. It stays in this browser until you sign out.">
          {(control) => <textarea {...control} rows={5} value={token} onChange={(event) => setToken(event.target.value)} autoComplete="off" spellCheck={false} />}
        </Field>
      )}
      <Mistakes errors={errors} fields={['token']} />
      <p className="actions">
        <button type="submit" disabled={loading}>
          Sign in
        </button>
      </p>
    </form>
  );
}

function NewAccount({ token, enter }: { token: string; enter: (token: string) => void }) {
  const [username, setUsername] = useState(devSubject ? token : '');
  const [displayName, setDisplayName] = useState('');
  const [errors, setErrors] = useState<readonly UserError[]>([]);
  const [loading, setLoading] = useState(false);
  const [key] = useState(newKey);

  async function create() {
    setLoading(true);
    try {
      const input = { username, ...(displayName && { displayName }), idempotencyKey: key };
      const { data } = await newClient(token).mutate({ mutation: CreateUser, variables: { input } });
      setErrors(data?.createUser.userErrors ?? []);
      if (data?.createUser.user) enter(token);
    } catch (error) {
      setErrors([{ code: '', message: describe(error) }]);
    }
    setLoading(false);
  }

  return (
    <form
      className="narrow"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      <h1 className="page-title">Welcome</h1>
      <p>You have no account here yet. Choose the name that your posts and comments will show.</p>
      <Field label="Username" name="username" errors={errors} hint="3 to 30 letters, digits or _. You can change it later.">
        {(control) => (
          <input {...control} value={username} onChange={(event) => setUsername(event.target.value)} autoComplete="username" autoCapitalize="none" spellCheck={false} autoFocus />
        )}
      </Field>
      <Field label="Name to show, if another" name="displayName" errors={errors}>
        {(control) => <input {...control} value={displayName} onChange={(event) => setDisplayName(event.target.value)} autoComplete="name" />}
      </Field>
      <Mistakes errors={errors} fields={['username', 'displayName']} />
      <p className="actions">
        <button type="submit" disabled={loading}>
          Create your account
        </button>
      </p>
    </form>
  );
}
