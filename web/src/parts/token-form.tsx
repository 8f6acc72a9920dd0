import { useState, type ReactNode } from 'react';
import { graphql } from '../gql';
import { hasCode } from '../client';
import { newClientOf } from '../client-of';
import { failure, type Mistake } from '../mistakes';
import { devSubject } from '../session';
import { Field } from './field';
import { Form } from './form';

const Account = graphql(`
  query Account {
    viewer {
      id
      username
      displayName
    }
  }
`);

export type Account = { id: string; username: string };

/** accountOf asks whose a token is; null: it has no account yet. */
export async function accountOf(token: string): Promise<Account | null> {
  const { data } = await newClientOf(token).query({ query: Account, errorPolicy: 'none' });
  return data?.viewer ?? null;
}

type Props = {
  enter: (token: string, account: Account | null) => Mistake | void; // what is wrong with it
  others?: ReactNode;
};

/** TokenForm asks for a token until the server accepts one. Its account is null where it has none yet. */
export function TokenForm({ enter, others }: Props) {
  const [token, setToken] = useState(devSubject);
  const [mistakes, setMistakes] = useState<readonly Mistake[]>([]);
  const [busy, setBusy] = useState(false);

  async function check() {
    setBusy(true);
    const mistake = await attempt(token.trim());
    setMistakes(mistake ? [mistake] : []);
    setBusy(false);
  }

  async function attempt(given: string): Promise<Mistake | void | undefined> {
    if (!given) return { message: 'must not be empty', field: 'token' };
    try {
      return enter(given, await accountOf(given));
    } catch (error) {
      return hasCode(error, 'UNAUTHENTICATED') ? { message: 'is not accepted by this server', field: 'token' } : failure(error)[0];
    }
  }

  return (
    <Form className="narrow" send={check} busy={busy} mistakes={mistakes} action="Sign in" others={others}>
      {devSubject ? (
        <Field label="Name" name="token" mistakes={mistakes} hint="This server is for development: it takes you at your word. Try alice, or a name of your own.">
          {(control) => <input {...control} value={token} onChange={(event) => setToken(event.target.value)} autoCapitalize="none" spellCheck={false} />}
        </Field>
      ) : (
        <Field label="Token" name="token" mistakes={mistakes} hint="A JSON Web Token of this server’s issuer. It stays in this browser until you sign out.">
          {(control) => <textarea {...control} rows={5} value={token} onChange={(event) => setToken(event.target.value)} autoComplete="off" spellCheck={false} />}
        </Field>
      )}
    </Form>
  );
}
