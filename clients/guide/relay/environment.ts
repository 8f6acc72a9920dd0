import { Environment, Network, Observable, RecordSource, Store, type GraphQLResponse } from 'relay-runtime';
import { createClient, type Client } from 'graphql-ws';

export interface Options {
  url: string; // of /graphql
  token?: string;
  webSocketImpl?: unknown; // in Node, which has none: `ws`
}

/** newEnvironment returns an environment, and what closes its socket. Ids need no setting: `id` is unique across types. */
export function newEnvironment({ url, token, webSocketImpl }: Options) {
  const authorization: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {};
  const socket: Client = createClient({ url: url.replace(/^http/, 'ws'), connectionParams: authorization, shouldRetry: () => true, webSocketImpl });
  const network = Network.create(
    async ({ text }, variables) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...authorization },
        body: JSON.stringify({ query: text, variables }),
      });
      return (await response.json()) as GraphQLResponse; // with `errors`, Relay throws where `data` is null
    },
    ({ text, name }, variables) =>
      Observable.create<GraphQLResponse>((sink) =>
        socket.subscribe({ query: text ?? '', operationName: name, variables }, { ...sink, next: (event) => sink.next(event as GraphQLResponse) }),
      ),
  );
  return { environment: new Environment({ network, store: new Store(new RecordSource()) }), dispose: () => socket.dispose() };
}
