import { graphql } from './gql/index.js';

export const FeedPage = graphql(`
  query FeedPage($first: Int = 20, $after: String) {
    feed(first: $first, after: $after) {
      liveCursor
      edges {
        cursor
        node {
          id
          title
          excerpt
          createdAt
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
      }
    }
  }
`);

// The order is named wherever the list is asked for, also where it is the default: it is part of the key.
export const PostPage = graphql(`
  query PostPage($id: ID!, $after: String) {
    post(id: $id) {
      id
      title
      content
      commentCount
      comments(first: 20, after: $after, order: NEWEST_FIRST) {
        liveCursor
        edges {
          cursor
          node {
            id
            content
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
  }
`);

export const Like = graphql(`
  mutation Like($postId: ID!) {
    likePost(input: { postId: $postId }) {
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

export const Comment = graphql(`
  mutation Comment($input: CreateCommentInput!) {
    createComment(input: $input) {
      commentEdge {
        cursor
        node {
          id
          content
          author {
            id
            username
          }
        }
      }
      post {
        id
        commentCount
      }
      userErrors {
        code
        message
        field
      }
    }
  }
`);

export const DeletePost = graphql(`
  mutation DeletePost($id: ID!) {
    deletePost(input: { id: $id }) {
      deletedId
      userErrors {
        code
        message
      }
    }
  }
`);

export const Profile = graphql(`
  query Profile {
    viewer {
      id
      username
      displayName
      bio
      email
      version
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
