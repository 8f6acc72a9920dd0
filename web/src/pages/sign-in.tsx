import { useEffect, useMemo, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { graphql } from '../gql';
import { hasCode } from '../client';
import { newClientOf } from '../client-of';
import { notify } from '../notice';
import { Field } from '../parts/field';
import { Form } from '../parts/form';
import { Page } from '../parts/page';
import { ProviderButton } from '../parts/provider-button';
import { Skeleton } from '../parts/states';
import { accountOf, TokenForm } from '../parts/token-form';
import { AskViewer } from '../parts/viewer';
import { routes } from '../paths';
import { failure, mistakes, type Mistake } from '../mistakes';
import { createOnce, type Sent } from '../sending';
import { devSubject, provider, signIn } from '../session';

const CreateUser = graphql(`
  mutation CreateUser($input: CreateUserInput!) {
    createUser(input: $input) {
      user {
        id
        version
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

const EditNewUser = graphql(`
  mutation EditNewUser($input: UpdateUserInput!) {
    updateUser(input: $input) {
      user {
        id
        version
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

  const back = provider !== null && parameters.has('state'); // from there
  const [to, setTo] = useState(parameters.get('to') ?? '');
  const [error, setError] = useState<unknown>();

  useEffect(() => {
    if (!back) return;
    void (async () => {
      try {
        const { token, to } = await (await import('../oidc')).answered();
        const account = await accountOf(token);
        setTo(to);
        if (account) enter(token, account.id, to);
        else setStranger(token);
      } catch (error) {
        setError(error);
      }
    })();
  }, [back]);

  function enter(token: string, account: string, to: string) {
    signIn(token, account);
    notify('');
    navigate(/^\/(?!\/)/.test(to) ? to : routes.feed, { replace: true }); // an address of ours alone
  }

  return (
    <Page title="Sign in">
      <AskViewer />
      {stranger ? (
        <NewAccount token={stranger} enter={(account) => enter(stranger, account, to)} />
      ) : (
        <>
          <h1 className="page-title">Sign in</h1>
          {back && !error && <Skeleton rows={2} />}
          {error !== undefined && (
            <div className="problem" role="alert">
              <p>{hasCode(error, 'UNAUTHENTICATED') ? 'This server does not accept what the provider gave you.' : 'Signing in did not work. Try once more.'}</p>
            </div>
          )}
          {provider && (!back || error !== undefined) && <ProviderButton to={to} />}
          {!provider && <TokenForm enter={(token, account) => (account ? enter(token, account.id, to) : setStranger(token))} />}
        </>
      )}
    </Page>
  );
}

type Input = { username: string; displayName: string };
type Made = { id: string; version: number };

const fields = ['username', 'displayName'];

function NewAccount({ token, enter }: { token: string; enter: (account: string) => void }) {
  const [input, setInput] = useState<Input>({ username: devSubject ? token : '', displayName: '' });
  const [sent, setSent] = useState<Sent<Input> | null>(null);
  const [refused, setRefused] = useState<readonly Mistake[]>([]);
  const [busy, setBusy] = useState(false);
  const client = useMemo(() => newClientOf(token), [token]);

  async function create() {
    setBusy(true);
    try {
      const { made, refusals } = await createOnce<Input, Made, Mistake>(input, {
        sent,
        remember: setSent,
        async create({ key, input: { username, displayName } }) {
          const variables = { input: { username, ...(displayName && { displayName }), idempotencyKey: key } };
          const { data } = await client.mutate({ mutation: CreateUser, variables });
          return { made: data?.createUser.user, refusals: mistakes('createUser', data?.createUser.userErrors, fields) };
        },
        async edit({ version }, { username, displayName }) {
          const variables = { input: { username, displayName: displayName || null, expectedVersion: version } };
          const { data } = await client.mutate({ mutation: EditNewUser, variables });
          return { made: data?.updateUser.user, refusals: mistakes('updateUser', data?.updateUser.userErrors, fields) };
        },
      });
      setRefused(refusals);
      if (made && refusals.length === 0) enter(made.id);
    } catch (error) {
      setRefused(failure(error));
    }
    setBusy(false);
  }

  const control = (name: keyof Input) => ({
    value: input[name],
    readOnly: busy,
    onChange: (event: React.ChangeEvent<HTMLInputElement>) => setInput({ ...input, [name]: event.target.value }),
  });
  return (
    <>
      <h1 className="page-title">Welcome</h1>
      <p>You have no account here yet. Choose the name that your posts and comments will show.</p>
      <Form className="narrow" send={create} busy={busy} mistakes={refused} action="Create your account">
        <Field label="Username" name="username" mistakes={refused} hint="3 to 30 letters, digits or _. You can change it later.">
          {(given) => <input {...given} {...control('username')} autoComplete="username" autoCapitalize="none" spellCheck={false} autoFocus />}
        </Field>
        <Field label="Name to show, if another" name="displayName" mistakes={refused}>
          {(given) => <input {...given} {...control('displayName')} autoComplete="name" />}
        </Field>
      </Form>
    </>
  );
}
