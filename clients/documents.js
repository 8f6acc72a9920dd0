// The operations that the suites of several clients execute.
import { gql } from '@urql/core';

/** feed is a page of the feed, with what a list of posts shows. */
export const feed = gql`
  query Feed($first: Int, $after: String) {
    feed(first: $first, after: $after) {
      edges {
        cursor
        node {
          id
          title
          author {
            id
            username
          }
        }
      }
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`;

/** named returns feed under another name: a document that the server has not seen. */
export const named = (name) => gql(feed.loc.source.body.replace('Feed', name));

/** createPost writes a post. */
export const createPost = gql`
  mutation CreatePost($input: CreatePostInput!) {
    createPost(input: $input) {
      post {
        id
        title
        author {
          id
          username
        }
      }
      userErrors {
        code
        field
      }
    }
  }
`;
