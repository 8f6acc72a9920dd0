import { useApolloClient } from '@apollo/client/react';
import { Link, useLocation } from 'wouter';
import { notify } from '../notice';
import { pathOf, routes } from '../paths';
import { leave, useToken } from '../session';
import { useViewer } from './viewer';

export function Header() {
  const token = useToken();
  const [path] = useLocation();
  const client = useApolloClient();
  return (
    <header className="top">
      <Link
        href={routes.feed}
        className="nameplate"
        onClick={() => {
          if (path !== routes.feed) return;
          scrollTo(0, 0);
          void client.refetchQueries({ include: ['FeedPage'] });
        }}
      >
        Broadsheet
      </Link>
      <nav aria-label="Site">
        {token ? <SignedIn /> : <Link href={pathOf('signIn') + '?to=' + encodeURIComponent(path)}>Sign in</Link>}
        <Link href={routes.write} className="write">
          Write
        </Link>
      </nav>
    </header>
  );
}

function SignedIn() {
  const viewer = useViewer();
  const [, navigate] = useLocation();
  return (
    <>
      {viewer && (
        <Link href={pathOf('user', viewer.username)} className="self" title="Your page">
          {viewer.username}
        </Link>
      )}
      <button
        type="button"
        className="quiet"
        onClick={() => {
          leave();
          notify('');
          navigate(routes.feed);
        }}
      >
        Sign out
      </button>
    </>
  );
}
