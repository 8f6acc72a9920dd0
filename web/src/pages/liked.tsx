import { useQuery } from '@apollo/client/react';
import { graphql } from '../gql';
import { OwnPosts } from '../parts/own-posts';
import { PostCard } from '../parts/post-card';
import { routes } from '../paths';

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
  const answer = useQuery(LikedQuery, { fetchPolicy: 'network-only', nextFetchPolicy: 'cache-first' });
  const list = answer.data?.viewer?.likes;
  return (
    <OwnPosts
      title="What you liked"
      path={routes.liked}
      signedOut="what you liked"
      none="You have not liked anything yet."
      answer={answer}
      list={list}
      load={() => answer.fetchMore({ variables: { after: list?.pageInfo.endCursor } })}
    >
      {list?.edges.map(({ node }) => node.post && <PostCard key={node.id} post={node.post} />)}
    </OwnPosts>
  );
}
