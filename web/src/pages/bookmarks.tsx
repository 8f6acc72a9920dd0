import { useQuery } from '@apollo/client/react';
import { graphql } from '../gql';
import { OwnPosts } from '../parts/own-posts';
import { PostCard } from '../parts/post-card';
import { routes } from '../paths';

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
  const answer = useQuery(BookmarksQuery, { fetchPolicy: 'network-only', nextFetchPolicy: 'cache-first' });
  const list = answer.data?.viewer?.bookmarks;
  return (
    <OwnPosts
      title="Your bookmarks"
      path={routes.bookmarks}
      signedOut="your bookmarks"
      none="You have not bookmarked anything yet."
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
