import { ApolloClient, ApolloLink, CombinedGraphQLErrors, HttpLink, InMemoryCache } from '@apollo/client';
import { ErrorLink } from '@apollo/client/link/error';
import type { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { OperationTypeNode } from 'graphql';
import { from, mergeMap } from 'rxjs';
import { liveList, pagedList } from './lists';
import { notify } from './notice';
import { attended, currentSession, endSession, renewed, signOut } from './session';
import { isWriting } from './writing';

/** newCache knows which arguments make another list, and where an object is found without asking. */
export function newCache(): InMemoryCache {
  const pages = pagedList();
  return new InMemoryCache({
    typePolicies: {
      Query: {
        fields: {
          feed: liveList('createdFrom', 'createdTo'),
          home: pages,
          threads: pagedList('postId'),
          post: (known, { args, toReference }) => (known === undefined ? toReference({ __typename: 'Post', id: args?.id }) : known),
        },
      },
      Post: {
        fields: {
          comments: liveList('order'),
          likes: pages,
        },
      },
      User: { fields: { posts: liveList('createdFrom', 'createdTo'), likes: pages, bookmarks: pages, followers: pages, following: pages, groups: pages } },
      Group: { fields: { posts: pages, newestMembers: pages } },
    },
  });
}

type TokenOf = () => string | null;

/**
 * refuse takes a token that the server accepts no more, if no other follows it. Who is writing is asked for another over the
 * page, which stays as it is; who reads reads on without.
 */
async function refuse(token: string): Promise<void> {
  if (await renewed(token)) return;
  const { token: current, ended } = currentSession();
  if (token !== current || ended) return;
  if (isWriting()) return endSession();
  signOut();
  notify('Your sign-in has ended. You can go on reading, and sign in again to write.');
}

/** refusedTokens sends what was refused once more, with the token that there is then, or none. */
const refusedTokens = new ErrorLink(({ error, operation, forward }) => {
  const token = operation.getContext().token as string | null;
  if (!token || !hasCode(error, 'UNAUTHENTICATED')) return;
  return from(refuse(token)).pipe(mergeMap(() => forward(operation)));
});

function identified(tokenOf: TokenOf): ApolloLink {
  return new ApolloLink((operation, forward) =>
    from(attended()).pipe(
      mergeMap(() => {
        const token = tokenOf();
        operation.setContext({ token, headers: token ? { authorization: `Bearer ${token}` } : {} });
        return forward(operation);
      }),
    ),
  );
}

/** streams are a WebSocket's, which is opened, and its client loaded, with the first of them. Another token is another socket. */
function streams(tokenOf: TokenOf): ApolloLink {
  let socket: { token: string | null; link: Promise<GraphQLWsLink> } | null = null;
  async function load() {
    await attended();
    const token = tokenOf();
    if (socket?.token !== token) socket = null;
    socket ??= { token, link: import('./live/socket').then(({ newSocket }) => newSocket(token, () => token && void refuse(token))) };
    const { link } = socket;
    link.catch(() => (socket = null)); // the next attempt loads it again
    return link;
  }
  return new ApolloLink((operation) => from(load()).pipe(mergeMap((link) => link.request(operation))));
}

/** newClient returns a client of one identity: a person's, whose token may change, or nobody's. Its cache is for no other. */
export function newClient(tokenOf: TokenOf): ApolloClient {
  const requests = ApolloLink.from([refusedTokens, identified(tokenOf), new HttpLink({ uri: '/graphql' })]);
  const subscribes = ({ operationType }: ApolloLink.Operation) => operationType === OperationTypeNode.SUBSCRIPTION;
  return new ApolloClient({ cache: newCache(), link: ApolloLink.split(subscribes, streams(tokenOf), requests) });
}

export function hasCode(error: unknown, code: string): boolean {
  return CombinedGraphQLErrors.is(error) && error.errors.some(({ extensions }) => extensions?.code === code);
}
