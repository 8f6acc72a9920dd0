import { ApolloClient, ApolloLink, HttpLink, InMemoryCache, type FieldReadFunction } from '@apollo/client';
import { SetContextLink } from '@apollo/client/link/context';
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { getMainDefinition, relayStylePagination } from '@apollo/client/utilities';
import { createClient } from 'graphql-ws';
import possible from './gql/possible-types.js';

/** An object that some list has brought is not asked for again by its id. */
const byId =
  (__typename: string): FieldReadFunction =>
  (existing, { args, toReference }) =>
    existing ?? toReference({ __typename, id: args?.id });

/** A list's key is its parent and what chooses among its rows, and not its page. */
const list = (...parent: string[]) =>
  relayStylePagination([...parent, 'order', 'createdFrom', 'createdTo']);

const fields = (...names: string[]) => Object.fromEntries(names.map((name) => [name, list()]));

export const newCache = () =>
  new InMemoryCache({
    possibleTypes: possible.possibleTypes, // which types are a Node
    typePolicies: {
      Query: {
        fields: {
          post: byId('Post'),
          feed: list(),
          userPosts: list('userId', 'username'),
          comments: list('postId', 'authorId'),
          likes: list('postId'),
          threads: list('postId'),
          home: list(),
        },
      },
      Post: {
        fields: {
          comments: list('authorId'),
          likes: list(),
        },
      },
      User: { fields: fields('posts', 'comments', 'likes', 'bookmarks', 'followers', 'following', 'groups') },
      Group: { fields: fields('posts', 'members', 'newestMembers') },
    },
  });

export interface Options {
  url: string; // of /graphql
  token?: () => string | undefined;
  webSocketImpl?: unknown; // in Node, which has none: `ws`
  trusted?: boolean; // documents go by the names that codegen gave them
}

/** newClient returns a client, and what closes its socket. */
export function newClient({ url, token = () => undefined, webSocketImpl, trusted = false }: Options) {
  const authorization = () => (token() ? { authorization: `Bearer ${token()}` } : {});
  const socket = createClient({
    url: url.replace(/^http/, 'ws'),
    connectionParams: authorization, // asked for whenever it connects again
    shouldRetry: () => true,
    webSocketImpl,
  });
  const http = ApolloLink.from([
    new SetContextLink(({ headers }) => ({ headers: { ...headers, ...authorization() } })),
    ...(trusted ? [new PersistedQueryLink({ generateHash: named })] : []),
    new HttpLink({ uri: url }),
  ]);
  const link = ApolloLink.split(
    ({ query }) => {
      const definition = getMainDefinition(query);
      return definition.kind === 'OperationDefinition' && definition.operation === 'subscription';
    },
    new GraphQLWsLink(socket),
    http,
  );
  return { client: new ApolloClient({ link, cache: newCache() }), dispose: () => socket.dispose() };
}

/** The client preset writes a document's name beside it. */
const named = (document: object) => (document as { __meta__: { hash: string } }).__meta__.hash;
