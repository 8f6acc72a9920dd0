import type { Client } from '@urql/core';
import { graphql } from './gql/index.js';
import type { UpdateUserInput } from './gql/graphql.js';

export const FeedPage = graphql(`
  query FeedPage($first: Int = 20, $after: String) {
    feed(first: $first, after: $after) {
      liveCursor
      edges {
        cursor
        node {
          id
          title
          likeCount
          viewerHasLiked
          author {
            id
            username
          }
        }
      }
      pageInfo {
        hasNextPage
        endCursor
        hasPreviousPage
        startCursor
      }
    }
  }
`);

export const Like = graphql(`
  mutation Like($input: LikePostInput!) {
    likePost(input: $input) {
      post {
        id
        likeCount
        viewerHasLiked
      }
      userErrors {
        code
        message
      }
    }
  }
`);

export const EditProfile = graphql(`
  mutation EditProfile($input: UpdateUserInput!) {
    updateUser(input: $input) {
      user {
        id
        username
        displayName
        bio
        email
        version
      }
      userErrors {
        code
        message
        field
      }
    }
  }
`);

export const PostCreated = graphql(`
  subscription PostCreated($after: String) {
    postCreated(after: $after) {
      cursor
      post {
        id
        title
      }
    }
  }
`);

/** editProfile: what is undefined is not sent, and stays as it is. Null is sent, and clears. */
export const editProfile = (client: Client, input: UpdateUserInput) => client.mutation(EditProfile, { input }).toPromise();
