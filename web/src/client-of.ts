import { ApolloClient, HttpLink } from '@apollo/client';
import { newCache } from './client';

/** newClientOf returns a client that tries a token which is nobody's yet: it waits for no sign-in, and what refuses the token ends no session. */
export function newClientOf(token: string): ApolloClient {
  return new ApolloClient({ cache: newCache(), link: new HttpLink({ uri: '/graphql', headers: { authorization: `Bearer ${token}` } }) });
}
