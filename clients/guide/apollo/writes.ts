import type { ApolloClient } from '@apollo/client';
import type { UpdateUserInput } from './gql/graphql.js';
import { Comment, DeletePost, EditProfile, Like, PostPage } from './operations.js';

/** like shows the like at once. Where the server refuses, `post` is null and the cache is as before. */
export const like = (client: ApolloClient, post: { id: string; likeCount: number }) =>
  client.mutate({
    mutation: Like,
    variables: { postId: post.id },
    optimisticResponse: {
      __typename: 'Mutation',
      likePost: {
        __typename: 'LikePostPayload',
        post: { __typename: 'Post', id: post.id, likeCount: post.likeCount + 1, viewerHasLiked: true },
        userErrors: [],
      },
    },
  });

/** comment puts the new edge at the top of the list that is shown. The count comes with the payload's post. */
export const comment = (client: ApolloClient, postId: string, content: string) =>
  client.mutate({
    mutation: Comment,
    // With the key a request whose answer was lost can be sent again: nothing is written twice.
    variables: { input: { postId, content, idempotencyKey: crypto.randomUUID() } },
    update(cache, { data }) {
      const edge = data?.createComment.commentEdge;
      if (!edge) return; // userErrors say why
      cache.updateQuery({ query: PostPage, variables: { id: postId } }, (page) =>
        page?.post && { ...page, post: { ...page.post, comments: { ...page.post.comments, edges: [edge, ...page.post.comments.edges] } } },
      );
    },
  });

/** deletePost takes the post out of every list that the cache has: each leaves out what is gone. */
export const deletePost = (client: ApolloClient, id: string) =>
  client.mutate({
    mutation: DeletePost,
    variables: { id },
    update(cache, { data }) {
      if (data?.deletePost.deletedId) cache.evict({ id: cache.identify({ __typename: 'Post', id }) });
      cache.gc();
    },
  });

/**
 * editProfile sends what was changed, and nothing else: an absent field stays as it is, and null clears
 * it. `undefined` is absent, for JSON has none. The version keeps the edit from one that came before it.
 */
export function editProfile(client: ApolloClient, before: UpdateUserInput & { version: number }, form: UpdateUserInput) {
  const changed = Object.entries(form).filter(([name, value]) => value !== undefined && value !== before[name as keyof UpdateUserInput]);
  return client.mutate({
    mutation: EditProfile,
    variables: { input: { ...Object.fromEntries(changed), expectedVersion: before.version } },
  });
}
