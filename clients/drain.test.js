// Subscriptions by graphql-ws, by Apollo Client on it, by graphql-sse and by an EventSource, whose server
// is shut down while posts are written, and which go on at the one that follows it: nothing is missing,
// and nothing comes twice.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApolloClient, InMemoryCache, gql } from '@apollo/client';
import { GraphQLWsLink } from '@apollo/client/link/subscriptions';
import { EventSource } from 'eventsource';
import { createClient as createEventClient } from 'graphql-sse';
import { createClient } from 'graphql-ws';
import WebSocket from 'ws';
import { newDirectory, serveFrom } from './harness.js';
import { lineTo } from './line.js';

globalThis.WebSocket ??= WebSocket; // Apollo's link asks for the browser's

const directory = await newDirectory();
let server = await serveFrom(directory);
const target = { url: server.url };
const line = await lineTo(target);
const http = `http://${line.host}/graphql`;

const subscription = `subscription ($after: String) { postCreated(after: $after) { cursor post { title } } }`;

/** ask posts an operation to the server that runs, past the line. */
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

let posts = 0;

/** publish creates some posts of titles that no other has. */
async function publish(n) {
  const titles = Array.from({ length: n }, () => `Post ${++posts}`);
  for (const title of titles) {
    await ask('mutation ($title: String!) { createPost(input: { title: $title, content: "x" }) { post { id } } }', { title });
  }
  return titles;
}

/** restart shuts the server down, which ends its subscriptions, and starts another one on its data. */
async function restart() {
  let started;
  target.url = new Promise((resolve) => (started = resolve));
  await server.stop();
  server = await serveFrom(directory);
  const written = await publish(3); // while clients wait for the line
  target.url = server.url;
  started(server.url);
  return written;
}

/** feed is what a subscriber is told: titles, the cursor of the last event, and codes of errors. */
function feed(cursor) {
  const waiting = new Map();
  return {
    titles: [],
    codes: [],
    cursor,
    add({ postCreated }) {
      this.cursor = postCreated.cursor;
      this.titles.push(postCreated.post.title);
      waiting.get(postCreated.post.title)?.();
    },
    has(title) {
      return new Promise((resolve) => (this.titles.includes(title) ? resolve() : waiting.set(title, resolve)));
    },
  };
}

const newFeed = async () => feed((await ask('{ feed(first: 1) { liveCursor } }')).feed.liveCursor);

/** throughDrains has the server be shut down twice while posts are written. */
async function throughDrains(got) {
  const written = [];
  for (let i = 0; i < 2; i++) {
    written.push(...(await publish(3)));
    await got.has(written[0]);
    written.push(...(await publish(3)), ...(await restart()), ...(await publish(1)));
    await got.has(written.at(-1));
  }
  assert.deepEqual(got.titles, written);
  assert.deepEqual(got.codes, ['SHUTTING_DOWN', 'SHUTTING_DOWN']);
}

const socketClient = (options = {}) =>
  createClient({ url: http.replace('http:', 'ws:'), webSocketImpl: WebSocket, retryAttempts: 100, retryWait: async () => {}, shouldRetry: () => true, ...options });

test('graphql-ws', async () => {
  const got = await newFeed();
  const closes = [];
  const client = socketClient({ on: { closed: ({ code }) => closes.push(code) } });
  let unsubscribe;
  const subscribe = () => {
    unsubscribe = client.subscribe(
      { query: subscription, variables: { after: got.cursor } },
      {
        next: ({ data }) => got.add(data),
        error([error]) {
          got.codes.push(error.extensions.code);
          subscribe();
        },
        complete() {},
      },
    );
  };
  subscribe();
  await throughDrains(got);
  assert.deepEqual(closes, [1001, 1001]);
  unsubscribe();
  await client.dispose();
});

test('Apollo Client, by GraphQLWsLink', async () => {
  const got = await newFeed();
  const wsClient = socketClient();
  const client = new ApolloClient({ link: new GraphQLWsLink(wsClient), cache: new InMemoryCache() });
  let running;
  const subscribe = () => {
    running = client
      .subscribe({ query: gql(subscription), variables: { after: got.cursor }, fetchPolicy: 'no-cache' })
      .subscribe({
        next({ data, error }) {
          if (!error) return got.add(data);
          got.codes.push(error.errors[0].extensions.code);
          subscribe();
        },
        error: assert.ifError,
      });
  };
  subscribe();
  await throughDrains(got);
  running.unsubscribe();
  client.stop();
  await wsClient.dispose();
});

test('graphql-sse comes back by itself', async () => {
  const got = await newFeed();
  const request = { query: subscription, variables: { after: got.cursor } };
  const client = createEventClient({ url: http, retryAttempts: 100, retry: async () => {} });
  const unsubscribe = client.subscribe(request, {
    next({ data, errors }) {
      if (errors) return got.codes.push(errors[0].extensions.code);
      got.add(data);
      request.variables.after = got.cursor;
    },
    error: assert.ifError,
    complete() {},
  });
  await throughDrains(got);
  unsubscribe();
  client.dispose();
});

test('an EventSource comes back by itself', async () => {
  const got = await newFeed();
  const url = new URL(http);
  url.searchParams.set('query', subscription);
  url.searchParams.set('variables', JSON.stringify({ after: got.cursor }));
  const source = new EventSource(url);
  source.addEventListener('next', ({ data: text }) => {
    const { data, errors } = JSON.parse(text);
    if (errors) return got.codes.push(errors[0].extensions.code);
    got.add(data);
  });
  await throughDrains(got);
  source.close();
});
