import { useQuery } from '@apollo/client/react';
import { graphql } from '../gql';
import { OwnPosts } from '../parts/own-posts';
import { PostCard } from '../parts/post-card';
import { routes } from '../paths';

const HomeQuery = graphql(`
  query HomePage($after: String) {
    viewer {
      ...ViewerFields
    }
    home(first: 12, after: $after) {
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

export default function HomePage() {
  const answer = useQuery(HomeQuery, { fetchPolicy: 'network-only', nextFetchPolicy: 'cache-first' });
  const list = answer.data?.home;
  return (
    <OwnPosts
      title="Whom you follow"
      path={routes.home}
      signedOut="what they write whom you follow"
      none="Nobody whom you follow has written anything yet."
      answer={answer}
      list={list}
      load={() => answer.fetchMore({ variables: { after: list?.pageInfo.endCursor } })}
    >
      {list?.edges.map(({ node }) => (
        <PostCard key={node.id} post={node} />
      ))}
    </OwnPosts>
  );
}
