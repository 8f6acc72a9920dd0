// The WebSocket that brings streams. It is loaded after the first page is there.
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { createClient } from 'graphql-ws';

// In milliseconds.
const silence = 15_000; // after which the server is asked for a sign of life
const patience = 5_000; // for that sign
const pause = 3_000; // between two pages that follow streams

const refusedToken = 4403;

/**
 * newSocket returns a link for one identity. A lost connection ends its streams; follow begins them
 * anew, each after its own last event.
 */
export function newSocket(token: string | null, refused: () => void): GraphQLWsLink {
  let overdue: ReturnType<typeof setTimeout>;
  const client = createClient({
    url: `${location.origin.replace(/^http/, 'ws')}/graphql`,
    connectionParams: token ? { Authorization: `Bearer ${token}` } : {},
    retryAttempts: 0,
    lazyCloseTimeout: pause,
    keepAlive: silence,
    on: {
      ping: (received) => {
        if (!received) overdue = setTimeout(() => client.terminate(), patience);
      },
      pong: (received) => {
        if (received) clearTimeout(overdue);
      },
      closed: (event) => {
        clearTimeout(overdue);
        if ((event as CloseEvent).code === refusedToken) refused();
      },
    },
  });
  return new GraphQLWsLink(client);
}
