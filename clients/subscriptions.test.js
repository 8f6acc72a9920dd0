// Subscriptions by graphql-ws, by Apollo Client on it, by graphql-sse and by an EventSource, over
// a line that is cut while posts are written: nothing is missing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApolloClient, InMemoryCache, gql } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { EventSource } from 'eventsource';
import { createClient as createEventClient } from 'graphql-sse';
import { createClient } from 'graphql-ws';
import WebSocket from 'ws';
import { serve } from './harness.js';
import { lineTo } from './line.js';

const server = await serve();
const line = await lineTo(server);
const http = `http://${line.host}/graphql`;
const ws = `ws://${line.host}/graphql`;

const subscription = `subscription ($after: String) { postCreated(after: $after) { cursor post { id title } } }`;

/** ask posts an operation, past the line. */
async function ask(query, variables) {
  const response = await fetch(server.graphql, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer alice' },
    body: JSON.stringify({ query, variables }),
  });
  const { data, errors } = await response.json();
  assert.equal(errors, undefined);
  return data;
}

const liveCursor = async () => (await ask('{ feed(first: 1) { liveCursor } }')).feed.liveCursor;

let posts = 0;

/** post creates a post of a title that no other has. */
async function post() {
  const title = `Post ${++posts}`;
  await ask('mutation ($title: String!) { createPost(input: { title: $title, content: "x" }) { post { id } } }', { title });
  return title;
}

/** titles gathers those that a subscriber is told of; has waits for one. */
function titles() {
  const told = [];
  const waiting = new Map();
  return {
    told,
    add({ postCreated }) {
      told.push(postCreated.post.title);
      waiting.get(postCreated.post.title)?.();
    },
    has: (title) => new Promise((resolve) => (told.includes(title) ? resolve() : waiting.set(title, resolve))),
  };
}

/** throughCuts writes posts, and cuts the line between them. */
async function throughCuts(got) {
  const written = [];
  for (let i = 0; i < 5; i++) {
    written.push(await post(), await post());
    if (i > 0) await got.has(written[0]);
    line.cut();
    written.push(await post());
  }
  await got.has(written.at(-1));
  return written;
}

const socketClient = (options = {}) =>
  createClient({ url: ws, webSocketImpl: WebSocket, retryAttempts: 100, retryWait: async () => {}, shouldRetry: () => true, ...options });

test('graphql-ws goes on behind the last event, each once', async () => {
  const client = socketClient();
  const got = titles();
  // The client sends this very object anew when it has connected anew.
  const payload = { query: subscription, variables: { after: await liveCursor() } };
  const unsubscribe = client.subscribe(payload, {
    next({ data }) {
      payload.variables.after = data.postCreated.cursor;
      got.add(data);
    },
    error: assert.ifError,
    complete() {},
  });
  assert.deepEqual(await throughCuts(got), got.told);
  unsubscribe();
  await client.dispose();
});

test('graphql-ws: queries, mutations and errors', async () => {
  const client = socketClient({ connectionParams: { Authorization: 'Bearer alice' } });
  const run = (query) =>
    new Promise((resolve, reject) => client.subscribe({ query }, { next: resolve, error: reject, complete() {} }));
  assert.deepEqual(await run('{ viewer { username } }'), { data: { viewer: { username: 'alice' } } });
  const { data } = await run('mutation { createPost(input: { title: "", content: "x" }) { userErrors { code } } }');
  assert.equal(data.createPost.userErrors[0].code, 'INVALID');
  await assert.rejects(run('{ nothing }'), ([error]) => error.extensions.code === 'GRAPHQL_VALIDATION_FAILED');
  await assert.rejects(run('subscription { postCreated(after: "x") { cursor } }'), ([error]) => error.extensions.code === 'BAD_USER_INPUT');
  await client.dispose();
});

test('graphql-ws comes back with a new token, after one that was bad', async () => {
  const tokens = ['none', 'Bearer alice'];
  const codes = [];
  const client = socketClient({
    connectionParams: () => ({ authorization: tokens.shift() }),
    on: { closed: ({ code }) => codes.push(code) },
  });
  const { data } = await new Promise((resolve, reject) =>
    client.subscribe({ query: '{ viewer { username } }' }, { next: resolve, error: reject, complete() {} }),
  );
  assert.equal(data.viewer.username, 'alice');
  assert.deepEqual(codes, [4403]);
  await client.dispose();
});

test('Apollo Client, by GraphQLWsLink', async () => {
  const wsClient = socketClient();
  const client = new ApolloClient({ link: new GraphQLWsLink(wsClient), cache: new InMemoryCache() });
  const got = titles();
  const running = client
    .subscribe({ query: gql(subscription), variables: { after: await liveCursor() }, fetchPolicy: 'no-cache' })
    .subscribe({ next: ({ data }) => got.add(data), error: assert.ifError });
  const written = await throughCuts(got);
  // It subscribes anew after the same cursor: what comes again is merged by its id.
  assert.deepEqual([...new Set(got.told)], written);
  running.unsubscribe();
  client.stop();
  await wsClient.dispose();
});

test('graphql-sse goes on behind the last event, each once', async () => {
  const got = titles();
  const request = { query: subscription, variables: { after: await liveCursor() } };
  const client = createEventClient({ url: http, retryAttempts: 100, retry: async () => {} });
  const unsubscribe = client.subscribe(request, {
    next({ data }) {
      request.variables.after = data.postCreated.cursor;
      got.add(data);
    },
    error: assert.ifError,
    complete() {},
  });
  assert.deepEqual(await throughCuts(got), got.told);
  unsubscribe();
  client.dispose();
});

test('graphql-sse: a query, and errors', async () => {
  const client = createEventClient({ url: http, headers: { authorization: 'Bearer alice' } });
  const run = async (query) => {
    const results = [];
    for await (const result of client.iterate({ query })) results.push(result);
    return results;
  };
  assert.deepEqual(await run('{ viewer { username } }'), [{ data: { viewer: { username: 'alice' } } }]);
  const [{ errors }] = await run('{ nothing }');
  assert.equal(errors[0].extensions.code, 'GRAPHQL_VALIDATION_FAILED');
  client.dispose();
});

test('an EventSource goes on by itself, by Last-Event-ID', async () => {
  const got = titles();
  const url = new URL(http);
  url.searchParams.set('query', subscription);
  url.searchParams.set('variables', JSON.stringify({ after: await liveCursor() }));
  const source = new EventSource(url);
  source.addEventListener('next', ({ data, lastEventId }) => {
    const { postCreated } = JSON.parse(data).data;
    assert.equal(lastEventId, postCreated.cursor);
    got.add({ postCreated });
  });
  assert.deepEqual(await throughCuts(got), got.told);
  source.close();
});
