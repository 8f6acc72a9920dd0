import { useQuery } from '@apollo/client/react';
import { Link } from 'wouter';
import { graphql } from '../gql';
import { Endless } from '../parts/endless';
import { Page } from '../parts/page';
import { PostCard } from '../parts/post-card';
import { Problem, Skeleton } from '../parts/states';
import { pathOf, routes } from '../paths';

const LikedQuery = graphql(`
  query LikedPage($after: String) {
    viewer {
      ...ViewerFields
      id
      likes(first: 12, after: $after) {
        edges {
          cursor
          node {
            id
            post {
              id
              ...PostCardPost
            }
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

export default function LikedPage() {
  const { data, error, refetch, fetchMore } = useQuery(LikedQuery, { fetchPolicy: 'network-only', nextFetchPolicy: 'cache-first' });
  const likes = data?.viewer?.likes;
  return (
    <Page title="What you liked" className="wide">
      <h1 className="page-title">What you liked</h1>
      {!data && !error && <Skeleton rows={5} />}
      {!data && error && <Problem error={error} retry={() => void refetch()} />}
      {data && !data.viewer && (
        <p>
          <Link href={`${pathOf('signIn')}?to=${encodeURIComponent(routes.liked)}`}>Sign in</Link> to see what you liked.
        </p>
      )}
      {likes?.edges.length === 0 && (
        <div className="empty">
          <p>You have not liked anything yet.</p>
        </div>
      )}
      {likes && (
        <>
          <div className="cards">
            {likes.edges.map(({ node }) => node.post && <PostCard key={node.id} post={node.post} />)}
          </div>
          <Endless what="posts" more={likes.pageInfo.hasNextPage} load={() => fetchMore({ variables: { after: likes.pageInfo.endCursor } })} />
        </>
      )}
    </Page>
  );
}
