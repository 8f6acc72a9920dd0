import { useQuery } from '@apollo/client/react';
import { graphql } from '../gql';
import { useToken } from '../session';

/** What every page asks along with its own, so that a first page is one request. */
export const ViewerFields = graphql(`
  fragment ViewerFields on User {
    id
    username
    displayName
    suspended
  }
`);

const ViewerQuery = graphql(`
  query Viewer {
    viewer {
      id
      username
      displayName
      suspended
    }
  }
`);

/** useViewer returns the account that is signed in, as soon as the page's query has brought it. */
export function useViewer() {
  return useQuery(ViewerQuery, { fetchPolicy: 'cache-only' }).data?.viewer ?? null;
}

/** useWriter is useViewer where that account may write. */
export function useWriter() {
  const viewer = useViewer();
  return viewer?.suspended ? null : viewer;
}

/** useAskedViewer is useViewer for a page that has no query. */
export function useAskedViewer() {
  const { data, loading, error, refetch } = useQuery(ViewerQuery);
  return { viewer: data?.viewer ?? null, loading: loading && !data, error, refetch };
}

/** AskViewer asks who is signed in, on a page whose own query does not, or failed. */
export function AskViewer() {
  useQuery(ViewerQuery, { skip: useToken() === null });
  return null;
}

/** Suspended says on every page, before anything is pressed, that the viewer may not write. */
export function Suspended() {
  return (
    <div role="status">
      {useViewer()?.suspended && <p className="suspended">Your account is suspended: you can read, and not write until a moderator restores it.</p>}
    </div>
  );
}
