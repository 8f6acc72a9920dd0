import { ApolloClient, ApolloLink, CombinedGraphQLErrors, HttpLink, InMemoryCache } from '@apollo/client';
import { ErrorLink } from '@apollo/client/link/error';
import { relayStylePagination } from '@apollo/client/utilities';
import { notify } from './notice';
import { currentToken, signOut } from './session';

/** newCache knows which arguments make another list, and where an object is found without asking. */
export function newCache(): InMemoryCache {
  return new InMemoryCache({
    typePolicies: {
      Query: {
        fields: {
          feed: relayStylePagination(),
          post: (known, { args, toReference }) => known ?? toReference({ __typename: 'Post', id: args?.id }),
        },
      },
      Post: {
        fields: {
          comments: relayStylePagination(['order']),
          likes: relayStylePagination(),
        },
      },
      User: { fields: { posts: relayStylePagination() } },
    },
  });
}

/** A refused token takes every request with it, so it is dropped, and its reader reads on without. */
const refusedTokens = new ErrorLink(({ error, operation, forward }) => {
  const token = operation.getContext().token as string | null;
  if (!token || token !== currentToken() || !hasCode(error, 'UNAUTHENTICATED')) return;
  signOut();
  notify('Your sign-in has ended. You can go on reading, and sign in again to write.');
  operation.setContext({ token: null, headers: {} });
  return forward(operation);
});

/** newClient returns a client of one identity: a token's, or nobody's. Its cache is for no other. */
export function newClient(token: string | null): ApolloClient {
  const identified = new ApolloLink((operation, forward) => {
    operation.setContext({ token, headers: token ? { authorization: `Bearer ${token}` } : {} });
    return forward(operation);
  });
  const links = [identified, refusedTokens, new HttpLink({ uri: '/graphql' })];
  return new ApolloClient({ cache: newCache(), link: ApolloLink.from(links) });
}

export function hasCode(error: unknown, code: string): boolean {
  return CombinedGraphQLErrors.is(error) && error.errors.some(({ extensions }) => extensions?.code === code);
}
