// Lists in the cache, and how what was made since gets into them.
import type { ApolloCache, FieldMergeFunction, FieldPolicy, Reference } from '@apollo/client';
import { relayStylePagination } from '@apollo/client/utilities';
import type { SortOrder } from './gql/graphql';

type Item = { __typename: string; id: string };
type StoredEdge = { __typename: string; cursor: string; node: Reference };
type StoredList = { edges: StoredEdge[]; pageInfo: { hasNextPage: boolean }; liveCursor?: string };

/** pagedList is a list of pages, another one for each value of these arguments, and for each place where it begins. */
export function pagedList(...keyArguments: string[]): FieldPolicy {
  return relayStylePagination([...keyArguments, '$from']);
}

/** liveList is a list of pages whose liveCursor is the first page's: a later one's would leave out what came between. */
export function liveList(...keyArguments: string[]): FieldPolicy {
  const pages = pagedList(...keyArguments);
  const join = pages.merge as FieldMergeFunction;
  return {
    ...pages,
    merge(known, page, options) {
      const list = join(known, page, options);
      return known?.liveCursor && options.args?.after ? { ...list, liveCursor: known.liveCursor } : list;
    },
  };
}

/**
 * behind are the variables of a list that begins behind a cursor, as an address may have it. The cache
 * keeps it apart from the one that begins at its beginning: from is for its eyes, no query has it.
 */
export function behind(after: string | null) {
  return after ? { after, from: after } : {};
}

/** placeOf are the variables of a list of posts as an address has it: behind a cursor, and of a month as in 2026-03. */
export function placeOf(address: URLSearchParams) {
  const month = address.get('month');
  return { ...behind(address.get('after')), ...(month && { createdFrom: beginOf(month), createdTo: beginOf(monthAfter(month, 1)) }) };
}

const beginOf = (month: string) => `${month}-01T00:00:00.000Z`;

/** monthAfter is the month so many later. */
export function monthAfter(month: string, n: number): string {
  const [year, of] = month.split('-').map(Number);
  const then = new Date(Date.UTC(year!, of! - 1 + n));
  return Number.isNaN(then.getTime()) ? month : then.toISOString().slice(0, 7);
}

type Post = Item & { author: { __typename: string; id: string } };

/** insertPosts puts posts into the feed. Their authors' own lists are asked for anew. */
export function insertPosts(cache: ApolloCache, posts: Post[], liveCursor?: string) {
  insert(cache, { id: 'ROOT_QUERY', field: 'feed', edge: 'PostEdge' }, posts, liveCursor);
  for (const { author } of posts) cache.evict({ id: cache.identify(author)!, fieldName: 'posts' });
}

/** insertComments puts comments into the post's list of this order, or into each that is held. */
export function insertComments(cache: ApolloCache, postId: string, comments: Item[], order?: SortOrder, liveCursor?: string) {
  const id = cache.identify({ __typename: 'Post', id: postId })!;
  insert(cache, { id, field: 'comments', edge: 'CommentEdge', order }, comments, liveCursor);
}

type LikeEdge = { cursor: string; node: Item };

/** insertLike puts a like among those of its post that are held. */
export function insertLike(cache: ApolloCache, postId: string, { cursor, node }: LikeEdge) {
  changeLikes(cache, postId, (list) => {
    const edge = { __typename: 'LikeEdge', cursor, node: { __ref: cache.identify(node)! } };
    const others = list.edges.filter(({ node }) => node.__ref !== edge.node.__ref);
    return { ...list, edges: [edge, ...others], totalCount: list.totalCount + (others.length === list.edges.length ? 1 : 0) };
  });
}

/** removeLike takes one from them. */
export function removeLike(cache: ApolloCache, postId: string, id: string) {
  const gone = cache.identify({ __typename: 'Like', id });
  changeLikes(cache, postId, (list) => ({ ...list, edges: list.edges.filter(({ node }) => node.__ref !== gone), totalCount: list.totalCount - 1 }));
}

type Likes = StoredList & { totalCount: number };

function changeLikes(cache: ApolloCache, postId: string, change: (list: Likes) => Likes) {
  cache.modify<Record<string, Likes>>({ id: cache.identify({ __typename: 'Post', id: postId })!, fields: { likes: (stored) => change(stored as Likes) } });
}

type Where = {
  id: string; // of what has the list, as the cache names it
  field: string;
  edge: string; // the type of its edges
  order?: SortOrder | undefined; // else each order that is held
};

/**
 * insert puts items where they belong by their time, each once: among the newest first, and last among
 * the oldest where that end is reached. Those of one millisecond come in the order in which they were
 * made, which is that of items. Their edges have no cursor: a list goes on after those that came in
 * pages. liveCursor is where the list ends then.
 */
function insert(cache: ApolloCache, { id, field, edge, order }: Where, items: Item[], liveCursor?: string) {
  const added = items.map((item) => ({ __typename: edge, cursor: '', node: { __ref: cache.identify(item)! } }));
  cache.modify<Record<string, StoredList>>({
    id,
    fields: {
      [field](stored, { storeFieldName, readField, canRead }) {
        const list = stored as StoredList;
        if (/"(\$from|createdFrom)"/.test(storeFieldName) || (order && !storeFieldName.includes(order))) return list; // it begins behind a cursor, or is a month's
        const oldestFirst = storeFieldName.includes('OLDEST_FIRST');
        if (oldestFirst && list.pageInfo.hasNextPage) return list; // they are among what follows
        const held = list.edges.filter(({ node }) => canRead(node));
        const fresh = added.filter(({ node }) => !held.some((known) => known.node.__ref === node.__ref));
        const time = ({ node }: StoredEdge) => Date.parse(readField<string>('createdAt', node)!);
        const edges = oldestFirst
          ? [...held, ...fresh].sort((one, other) => time(one) - time(other))
          : [...fresh.toReversed(), ...held].sort((one, other) => time(other) - time(one));
        return { ...list, edges, ...(liveCursor && { liveCursor }) };
      },
    },
  });
}
