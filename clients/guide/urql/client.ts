import { Client, fetchExchange, subscriptionExchange } from '@urql/core';
import { cacheExchange, type Cache, type DataFields } from '@urql/exchange-graphcache';
import { relayPagination } from '@urql/exchange-graphcache/extras';
import { createClient } from 'graphql-ws';
import schema from './gql/schema.json' with { type: 'json' };

export const newCache = () =>
  cacheExchange({
    schema, // which types are a Node, what may be null
    keys: { PageInfo: () => null, UserError: () => null, PostEdge: () => null, CommentEdge: () => null, LikeEdge: () => null },
    resolvers: {
      Query: {
        feed: relayPagination(),
        userPosts: relayPagination(),
        comments: relayPagination(),
        likes: relayPagination(),
        post: (_, { id }) => ({ __typename: 'Post', id: id as string }), // what a list has brought is not asked for again
      },
      Post: { comments: relayPagination(), likes: relayPagination() },
      User: { posts: relayPagination(), comments: relayPagination(), likes: relayPagination() },
    },
    optimistic: {
      likePost: ({ input }, cache) => {
        const post = cache.keyOfEntity({ __typename: 'Post', id: (input as { postId: string }).postId });
        return {
          __typename: 'LikePostPayload',
          post: { __typename: 'Post', id: (input as { postId: string }).postId, likeCount: Number(cache.resolve(post, 'likeCount')) + 1, viewerHasLiked: true },
          userErrors: [],
        };
      },
    },
    updates: {
      Mutation: {
        // A list by pages holds several: the whole list is asked for anew.
        createPost: (result, _, cache) => written(result.createPost) && forget(cache, 'feed'),
        deletePost: (result, { input }, cache) => {
          if (written(result.deletePost)) cache.invalidate({ __typename: 'Post', id: (input as { id: string }).id });
        },
      },
    },
  });

const written = (payload: unknown) => ((payload as DataFields).userErrors as unknown[]).length === 0;

function forget(cache: Cache, list: string) {
  for (const { fieldName, arguments: args } of cache.inspectFields('Query')) {
    if (fieldName === list) cache.invalidate('Query', fieldName, args);
  }
}

export interface Options {
  url: string; // of /graphql
  token?: () => string | undefined;
  webSocketImpl?: unknown; // in Node, which has none: `ws`
}

/** newClient returns a client, and what closes its socket. */
export function newClient({ url, token = () => undefined, webSocketImpl }: Options) {
  const authorization = (): Record<string, string> => (token() ? { authorization: `Bearer ${token()}` } : {});
  const socket = createClient({ url: url.replace(/^http/, 'ws'), connectionParams: authorization, shouldRetry: () => true, webSocketImpl });
  const client = new Client({
    url,
    preferGetMethod: false,
    fetchOptions: () => ({ headers: authorization() }),
    exchanges: [
      newCache(),
      fetchExchange,
      subscriptionExchange({
        forwardSubscription: ({ query, variables }) => ({
          subscribe: (sink) => ({ unsubscribe: socket.subscribe({ query: query ?? '', variables }, sink) }),
        }),
      }),
    ],
  });
  return { client, dispose: () => socket.dispose() };
}
