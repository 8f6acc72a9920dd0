import { useQuery } from '@apollo/client/react';
import { Link } from 'wouter';
import { graphql } from '../gql';
import { Endless } from '../parts/endless';
import { Page } from '../parts/page';
import { PostCard } from '../parts/post-card';
import { Problem, Skeleton } from '../parts/states';
import { routes } from '../paths';

const FeedQuery = graphql(`
  query FeedPage($after: String) {
    viewer {
      ...ViewerFields
    }
    feed(first: 12, after: $after) {
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
`);

const today = new Intl.DateTimeFormat('en-GB', { weekday: 'long', day: 'numeric', month: 'long', year: 'numeric' });

export function FeedPage() {
  const { data, error, refetch, fetchMore } = useQuery(FeedQuery);
  return (
    <Page title="Broadsheet" className="wide">
      <div className="dateline">
        <h1>The newest posts</h1>
        <p>{today.format(new Date())}</p>
      </div>
      {!data && !error && <Skeleton rows={6} />}
      {!data && error && <Problem error={error} retry={() => void refetch()} />}
      {data && data.feed.edges.length === 0 && (
        <div className="empty">
          <p>Nothing has been written yet.</p>
          <Link className="action" href={routes.write}>
            Write the first post
          </Link>
        </div>
      )}
      {data && (
        <>
          <div className="cards front">
            {data.feed.edges.map(({ node }) => (
              <PostCard key={node.id} post={node} />
            ))}
          </div>
          <Endless
            what="posts"
            more={data.feed.pageInfo.hasNextPage}
            load={() => fetchMore({ variables: { after: data.feed.pageInfo.endCursor } })}
          />
        </>
      )}
    </Page>
  );
}
