import type { ErrorLike } from '@apollo/client';
import { Link } from 'wouter';
import { routes } from '../paths';
import { Page } from './page';
import { Problem, Skeleton } from './states';

type Answer = { data?: object; error?: ErrorLike; refetch: () => unknown };

/** NoGroup is a group's page as long as there is no group: not yet, or none. */
export function NoGroup({ name, answer: { data, error, refetch } }: { name: string; answer: Answer }) {
  if (!data) {
    return (
      <Page title={name} className="wide">
        {error ? <Problem error={error} retry={() => void refetch()} /> : <Skeleton rows={5} />}
      </Page>
    );
  }
  return (
    <Page title="No such group">
      <h1>No such group</h1>
      <p>No group has the name {name} now.</p>
      <p>
        <Link href={routes.feed}>The newest posts</Link>
      </p>
    </Page>
  );
}
