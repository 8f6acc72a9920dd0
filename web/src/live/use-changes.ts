import { useApolloClient } from '@apollo/client/react';
import { useEffect, useRef } from 'react';
import { graphql } from '../gql';
import { follow } from './follow';

const PostUpdated = graphql(`
  subscription PostUpdated($after: String) {
    postUpdated(after: $after) {
      cursor
      post {
        id
        ...PostCardPost
      }
    }
  }
`);

const PostDeleted = graphql(`
  subscription PostDeleted($after: String) {
    postDeleted(after: $after) {
      cursor
      deletedId
    }
  }
`);

/** useChanges has the posts that lists show be as they are now, and those that are deleted leave them. */
export function useChanges(liveCursor: string | undefined, refetch: () => Promise<unknown>) {
  const client = useApolloClient();
  const expired = useRef(refetch);
  expired.current = refetch;
  useEffect(() => {
    if (!liveCursor) return;
    const of = { after: liveCursor, variables: (after: string) => ({ after }), expired: () => expired.current() };
    const ends = [
      follow(client, { ...of, query: PostUpdated, next: ({ postUpdated }) => postUpdated.cursor }), // the cache has the post
      follow(client, {
        ...of,
        query: PostDeleted,
        next({ postDeleted: { cursor, deletedId } }) {
          client.cache.evict({ id: client.cache.identify({ __typename: 'Post', id: deletedId })! });
          return cursor;
        },
      }),
    ];
    return () => ends.forEach((end) => end());
  }, [client, liveCursor]);
}
