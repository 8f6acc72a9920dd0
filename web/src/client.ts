import { ApolloClient, ApolloLink, CombinedGraphQLErrors, HttpLink, InMemoryCache } from '@apollo/client';
import { ErrorLink } from '@apollo/client/link/error';
import type { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { relayStylePagination } from '@apollo/client/utilities';
import { OperationTypeNode } from 'graphql';
import { from, mergeMap } from 'rxjs';
import { liveList } from './lists';
import { notify } from './notice';
import { currentToken, signOut } from './session';

/** newCache knows which arguments make another list, and where an object is found without asking. */
export function newCache(): InMemoryCache {
  return new InMemoryCache({
    typePolicies: {
      Query: {
        fields: {
          feed: liveList(),
          post: (known, { args, toReference }) => known ?? toReference({ __typename: 'Post', id: args?.id }),
        },
      },
      Post: {
        fields: {
          comments: liveList(['order']),
          likes: relayStylePagination(),
        },
      },
      User: { fields: { posts: relayStylePagination() } },
    },
  });
}

/** A refused token takes every request with it, so it is dropped, and its reader reads on without. */
function drop(token: string) {
  if (token !== currentToken()) return;
  signOut();
  notify('Your sign-in has ended. You can go on reading, and sign in again to write.');
}

const refusedTokens = new ErrorLink(({ error, operation, forward }) => {
  const token = operation.getContext().token as string | null;
  if (!token || token !== currentToken() || !hasCode(error, 'UNAUTHENTICATED')) return;
  drop(token);
  operation.setContext({ token: null, headers: {} });
  return forward(operation);
});

/** streams are a WebSocket's, which is opened, and its client loaded, with the first of them. */
function streams(token: string | null): ApolloLink {
  let socket: Promise<GraphQLWsLink> | null = null;
  const load = () =>
    (socket ??= import('./live/socket').then(
      ({ newSocket }) => newSocket(token, () => token && drop(token)),
      (failed) => {
        socket = null; // the next attempt loads it again
        throw failed;
      },
    ));
  return new ApolloLink((operation) => from(load()).pipe(mergeMap((link) => link.request(operation))));
}

/** newClient returns a client of one identity: a token's, or nobody's. Its cache is for no other. */
export function newClient(token: string | null): ApolloClient {
  const identified = new ApolloLink((operation, forward) => {
    operation.setContext({ token, headers: token ? { authorization: `Bearer ${token}` } : {} });
    return forward(operation);
  });
  const requests = ApolloLink.from([identified, refusedTokens, new HttpLink({ uri: '/graphql' })]);
  const subscribes = ({ operationType }: ApolloLink.Operation) => operationType === OperationTypeNode.SUBSCRIPTION;
  return new ApolloClient({ cache: newCache(), link: ApolloLink.split(subscribes, streams(token), requests) });
}

export function hasCode(error: unknown, code: string): boolean {
  return CombinedGraphQLErrors.is(error) && error.errors.some(({ extensions }) => extensions?.code === code);
}
