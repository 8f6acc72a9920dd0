import { useQuery } from '@apollo/client/react';
import { Link } from 'wouter';
import { graphql } from '../gql';
import { Endless } from '../parts/endless';
import { Page } from '../parts/page';
import { PostCard } from '../parts/post-card';
import { Problem, Skeleton } from '../parts/states';
import { pathOf, routes } from '../paths';

const BookmarksQuery = graphql(`
  query BookmarksPage($after: String) {
    viewer {
      ...ViewerFields
      id
      bookmarks(first: 12, after: $after) {
        edges {
          cursor
          node {
            id
            ...PostCardPost
          }
        }
        pageInfo {
          hasNextPage
          endCursor
        }
      }
    }
  }
`);

export default function BookmarksPage() {
  const { data, error, refetch, fetchMore } = useQuery(BookmarksQuery, { fetchPolicy: 'network-only', nextFetchPolicy: 'cache-first' });
  const bookmarks = data?.viewer?.bookmarks;
  return (
    <Page title="Your bookmarks" className="wide">
      <h1 className="page-title">Your bookmarks</h1>
      {!data && !error && <Skeleton rows={5} />}
      {!data && error && <Problem error={error} retry={() => void refetch()} />}
      {data && !data.viewer && (
        <p>
          <Link href={`${pathOf('signIn')}?to=${encodeURIComponent(routes.bookmarks)}`}>Sign in</Link> to see your bookmarks.
        </p>
      )}
      {bookmarks?.edges.length === 0 && !bookmarks.pageInfo.hasNextPage && (
        <div className="empty">
          <p>You have not bookmarked anything yet.</p>
        </div>
      )}
      {bookmarks && (
        <>
          <div className="cards">
            {bookmarks.edges.map(({ node }) => (
              <PostCard key={node.id} post={node} />
            ))}
          </div>
          <Endless what="posts" more={bookmarks.pageInfo.hasNextPage} load={() => fetchMore({ variables: { after: bookmarks.pageInfo.endCursor } })} />
        </>
      )}
    </Page>
  );
}
