import { ConnectionHandler, commitMutation, fetchQuery, getSingularSelector, graphql, type Environment, type GraphQLTaggedNode, type MutationParameters, type ReaderFragment } from 'relay-runtime';
import type { postEditMutation, UpdateUserInput } from './__generated__/postEditMutation.graphql';
import type { postCommentMutation } from './__generated__/postCommentMutation.graphql';
import type { postDeleteCommentMutation } from './__generated__/postDeleteCommentMutation.graphql';
import type { postLikeMutation } from './__generated__/postLikeMutation.graphql';
import type { postPageQuery } from './__generated__/postPageQuery.graphql';
import type { post_comments$data, post_comments$key } from './__generated__/post_comments.graphql';
import commentsQuery, { type postCommentsQuery } from './__generated__/postCommentsQuery.graphql';

// An argument whose type is an enum that can't be null takes its default here, not in the operation.
const comments = graphql`
  fragment post_comments on Post
  @refetchable(queryName: "postCommentsQuery")
  @argumentDefinitions(count: { type: "Int", defaultValue: 2 }, cursor: { type: "String" }, order: { type: "SortOrder", defaultValue: NEWEST_FIRST }) {
    id
    commentCount
    likeCount
    viewerHasLiked
    comments(first: $count, after: $cursor, order: $order) @connection(key: "post_comments", filters: ["order"]) {
      edges {
        node {
          id
          content
          author {
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

/** openPost reads a post with the first page of its comments. In React: useLazyLoadQuery. */
export async function openPost(environment: Environment, id: string): Promise<post_comments$key | null | undefined> {
  const data = await fetchQuery<postPageQuery>(
    environment,
    graphql`
      query postPageQuery($id: ID!) {
        post(id: $id) {
          id
          title
          ...post_comments
        }
      }
    `,
    { id },
  ).toPromise();
  return data?.post;
}

/** shown is what the store has of the post and of its comments. In React: usePaginationFragment. */
export const shown = (environment: Environment, post: post_comments$key) =>
  environment.lookup(getSingularSelector(comments as ReaderFragment, post)!).data as unknown as post_comments$data;

/**
 * more reads the next page into the same connection, by the query that @refetchable made: it finds the
 * post anew through `node`. In React: loadNext of usePaginationFragment.
 */
export async function more(environment: Environment, { id, comments: { pageInfo } }: post_comments$data) {
  await fetchQuery<postCommentsQuery>(environment, commentsQuery, { id, count: 2, cursor: pageInfo.endCursor }).toPromise();
}

const newest = (post: string) => ConnectionHandler.getConnectionID(post, 'post_comments', { order: 'NEWEST_FIRST' });

export const comment = (environment: Environment, post: string, content: string) =>
  commit<postCommentMutation>(environment, {
    mutation: graphql`
      mutation postCommentMutation($input: CreateCommentInput!, $connections: [ID!]!) {
        createComment(input: $input) {
          commentEdge @prependEdge(connections: $connections) {
            node {
              id
              content
              author {
                username
              }
            }
          }
          post {
            commentCount
          }
          userErrors {
            code
            message
            field
          }
        }
      }
    `,
    variables: { input: { postId: post, content, idempotencyKey: crypto.randomUUID() }, connections: [newest(post)] },
  });

export const deleteComment = (environment: Environment, post: string, id: string) =>
  commit<postDeleteCommentMutation>(environment, {
    mutation: graphql`
      mutation postDeleteCommentMutation($id: ID!, $connections: [ID!]!) {
        deleteComment(input: { id: $id }) {
          deletedId @deleteEdge(connections: $connections)
          post {
            commentCount
          }
          userErrors {
            code
          }
        }
      }
    `,
    variables: { id, connections: [newest(post)] },
  });

/** like shows the like at once. Where the server refuses, `post` is null and the store is as before. */
export const like = (environment: Environment, { id, likeCount }: post_comments$data) =>
  commit<postLikeMutation>(environment, {
    mutation: graphql`
      mutation postLikeMutation($postId: ID!) {
        likePost(input: { postId: $postId }) {
          post {
            id
            likeCount
            viewerHasLiked
          }
          userErrors {
            code
          }
        }
      }
    `,
    variables: { postId: id },
    optimisticResponse: { likePost: { post: { id, likeCount: likeCount + 1, viewerHasLiked: true }, userErrors: [] } },
  });

/** edit changes the viewer's account. What is undefined is not sent, and stays as it is. Null is sent, and clears. */
export const edit = (environment: Environment, input: UpdateUserInput) =>
  commit<postEditMutation>(environment, {
    mutation: graphql`
      mutation postEditMutation($input: UpdateUserInput!) {
        updateUser(input: $input) {
          user {
            id
            username
            displayName
          }
          userErrors {
            code
            message
            field
          }
        }
      }
    `,
    variables: { input },
  });

function commit<M extends MutationParameters>(
  environment: Environment,
  config: { mutation: GraphQLTaggedNode; variables: M['variables']; optimisticResponse?: M['response'] },
): Promise<M['response']> {
  return new Promise((resolve, reject) => {
    commitMutation<M>(environment, { ...config, onCompleted: resolve, onError: reject } as never);
  });
}
