import type { ErrorLike } from '@apollo/client';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { pathOf } from '../paths';
import { Endless } from './endless';
import { Page } from './page';
import { Problem, Skeleton } from './states';

interface Props {
  title: string;
  path: string;
  signedOut: string; // what to sign in for
  none: string;
  answer: { data?: { viewer?: object | null }; error?: ErrorLike; refetch: () => unknown };
  list?: { edges: readonly unknown[]; pageInfo: { hasNextPage: boolean } } | null;
  load: () => Promise<unknown>; // the list's next page
  children: ReactNode; // the cards of the list
}

/** OwnPosts is a page of posts that are the viewer's own choice. */
export function OwnPosts({ title, path, signedOut, none, answer: { data, error, refetch }, list, load, children }: Props) {
  return (
    <Page title={title} className="wide">
      <h1 className="page-title">{title}</h1>
      {!data && !error && <Skeleton rows={5} />}
      {!data && error && <Problem error={error} retry={() => void refetch()} />}
      {data && !data.viewer && (
        <p>
          <Link href={`${pathOf('signIn')}?to=${encodeURIComponent(path)}`}>Sign in</Link> to see {signedOut}.
        </p>
      )}
      {list?.edges.length === 0 && !list.pageInfo.hasNextPage && (
        <div className="empty">
          <p>{none}</p>
        </div>
      )}
      {list && (
        <>
          <div className="cards">{children}</div>
          <Endless what="posts" more={list.pageInfo.hasNextPage} load={load} />
        </>
      )}
    </Page>
  );
}
