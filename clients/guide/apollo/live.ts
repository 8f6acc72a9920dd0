import type { ApolloClient } from '@apollo/client';
import { PostCreated } from './operations.js';

/**
 * watchPosts calls show for each post that is created after a cursor: the first page's `liveCursor`, so that
 * nothing is missing between the page and the stream. After a lost connection graphql-ws subscribes again with the
 * same variables, so an event may come twice: each post is shown once.
 */
export function watchPosts(client: ApolloClient, after: string, show: (post: { id: string; title: string }) => void) {
  const shown = new Set<string>();
  return client.subscribe({ query: PostCreated, variables: { after }, fetchPolicy: 'no-cache' }).subscribe({
    next({ data }) {
      const post = data?.postCreated.post;
      if (!post || shown.has(post.id)) return; // null: deleted since
      shown.add(post.id);
      show(post);
    },
  });
}
