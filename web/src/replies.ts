// What is new, in the conversations that are held.
import type { ApolloCache, Reference } from '@apollo/client';

export type Reply = { __typename: string; id: string; depth: number; parentId?: string | null };
type Entry = { __typename: string; depth: number; parentId: string | null; comment: Reference | null };
type Threads = { edges: { __typename: string; cursor: string; node: Entry }[] };

/** insertReply puts a comment behind what stands below the one that it replies to, or before all others. */
export function insertReply(cache: ApolloCache, postId: string, comment: Reply) {
  const ref = cache.identify(comment)!;
  cache.modify<Record<string, Threads>>({
    id: 'ROOT_QUERY',
    fields: {
      threads(stored, { storeFieldName }) {
        const list = stored as Threads;
        if (!storeFieldName.includes(postId) || list.edges.some(({ node }) => node.comment?.__ref === ref)) return list;
        const parentId = comment.parentId ?? null;
        let at = 0;
        if (parentId) {
          const parent = cache.identify({ __typename: 'Comment', id: parentId });
          at = list.edges.findIndex(({ node }) => node.comment?.__ref === parent) + 1;
          if (at === 0) return list; // it is among what follows
          while (at < list.edges.length && list.edges[at]!.node.depth >= comment.depth) at++;
        }
        const node = { __typename: 'ThreadEntry', depth: comment.depth, parentId, comment: { __ref: ref } };
        return { ...list, edges: list.edges.toSpliced(at, 0, { __typename: 'ThreadEdge', cursor: '', node }) };
      },
    },
  });
}
