import { graphql } from 'relay-runtime';

export const feed = graphql`
  query FeedQuery($first: Int) {
    feed(first: $first) {
      edges {
        node {
          ...Feed_post
        }
      }
    }
  }
`;

export const post = graphql`
  fragment Feed_post on Post {
    id
    title
    excerpt
    author {
      username
    }
  }
`;

export const like = graphql`
  mutation FeedLikePostMutation($input: LikePostInput!) {
    likePost(input: $input) {
      post {
        likeCount
      }
      userErrors {
        code
        message
      }
    }
  }
`;
