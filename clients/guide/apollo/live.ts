import type { ApolloClient } from '@apollo/client';
import { PostCreated } from './operations.js';

/**
 * watchPosts tells of each post that is created after a cursor: the first page's `liveCursor`, so that
 * nothing is missing between the page and the stream. After a lost connection graphql-ws subscribes anew with the
 * same variables, so what was told before may come again: each is told once.
 */
export function watchPosts(client: ApolloClient, after: string, tell: (post: { id: string; title: string }) => void) {
  const told = new Set<string>();
  return client.subscribe({ query: PostCreated, variables: { after }, fetchPolicy: 'no-cache' }).subscribe({
    next({ data }) {
      const post = data?.postCreated.post;
      if (!post || told.has(post.id)) return; // null: deleted since
      told.add(post.id);
      tell(post);
    },
  });
}
