import type { ErrorLike } from '@apollo/client';
import { Link } from 'wouter';
import { routes } from '../paths';
import { Page } from './page';
import { Problem, Skeleton } from './states';

type Answer = { data?: object; error?: ErrorLike; refetch: () => unknown };

/** NoPerson is a user's page as long as there is no user: not yet, or none. */
export function NoPerson({ username, answer: { data, error, refetch } }: { username: string; answer: Answer }) {
  if (!data) {
    return (
      <Page title={username} className="wide">
        {error ? <Problem error={error} retry={() => void refetch()} /> : <Skeleton rows={5} />}
      </Page>
    );
  }
  return (
    <Page title="No such person">
      <h1>No such person</h1>
      <p>Nobody has the name {username} now.</p>
      <p>
        <Link href={routes.feed}>The newest posts</Link>
      </p>
    </Page>
  );
}
