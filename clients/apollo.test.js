// Apollo Client, with its link for automatic persisted queries and for manifests.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { ApolloClient, CombinedGraphQLErrors, HttpLink, InMemoryCache, gql } from '@apollo/client';
import { createPersistedQueryLink } from '@apollo/client/link/persisted-queries';
import { createPost, feed, named } from './documents.js';
import { serve } from './harness.js';
import { record, sent } from './recorder.js';

const trusted = new URL('../internal/httpapi/testdata/trusted/', import.meta.url);
const manifest = new URL('apollo.json', trusted);

const plain = await serve();
const withoutPersisted = await serve('--limit', 'persisted_queries=0');
const trustedOnly = await serve('--trusted-documents', manifest.pathname, '--trusted-documents-only');

const sha256 = (text) => createHash('sha256').update(text).digest('hex');

/** connect returns a client that persists its queries, and what it exchanged. */
function connect({ graphql }, options = {}, headers = {}) {
  const { fetch, exchanges } = record();
  const link = createPersistedQueryLink({ sha256, ...options }).concat(new HttpLink({ uri: graphql, fetch, headers }));
  const client = new ApolloClient({ link, cache: new InMemoryCache() });
  const page = async (query, variables) => (await client.query({ query, variables, fetchPolicy: 'no-cache' })).data;
  return { client, exchanges, page };
}

test('a query is persisted, then named by its hash', async () => {
  const { page, exchanges } = connect(plain);
  const first = await page(named('ApolloPost'), { first: 3 });
  const { endCursor } = first.feed.pageInfo;
  const second = await page(named('ApolloPost'), { first: 3, after: endCursor });
  assert.deepEqual(sent(exchanges), ['POST hash 400', 'POST text 200', 'POST hash 200']);
  const ids = [...first.feed.edges, ...second.feed.edges].map((edge) => edge.node.id);
  assert.equal(new Set(ids).size, 6);
});

test('useGETForHashedQueries', async () => {
  const { page, exchanges } = connect(plain, { useGETForHashedQueries: true });
  const first = await page(named('ApolloGet'), { first: 2 });
  const again = await page(named('ApolloGet'), { first: 2 });
  assert.deepEqual(again, first);
  assert.deepEqual(sent(exchanges), ['GET hash 400', 'POST text 200', 'GET hash 200']);
});

test('a client that asks for application/json is told 200', async () => {
  const { page, exchanges } = connect(plain, {}, { accept: 'application/json' });
  await page(named('ApolloLegacy'), { first: 2 });
  assert.deepEqual(sent(exchanges), ['POST hash 200', 'POST text 200']);
  assert.deepEqual(new Set(exchanges.map(({ type }) => type)), new Set(['application/json']));
});

for (const useGETForHashedQueries of [false, true]) {
  test(`a mutation, with GET for queries: ${useGETForHashedQueries}`, async () => {
    const { client, exchanges } = connect(plain, { useGETForHashedQueries }, { authorization: 'Bearer alice' });
    const title = `By Apollo Client ${useGETForHashedQueries}`;
    const { data } = await client.mutate({ mutation: createPost, variables: { input: { title, content: 'x' } } });
    assert.equal(data.createPost.post.title, title);
    assert.equal(data.createPost.post.author.username, 'alice');
    assert.ok(exchanges.every(({ method }) => method === 'POST'));
    const { data: newest } = await client.query({ query: feed, variables: { first: 1 }, fetchPolicy: 'network-only' });
    assert.equal(newest.feed.edges[0].node.title, title);
  });
}

test('where nothing is persisted, the client gives up on hashes', async () => {
  const { page, exchanges } = connect(withoutPersisted);
  await page(feed, { first: 2 });
  await page(feed, { first: 3 });
  assert.deepEqual(sent(exchanges), ['POST hash 400', 'POST text 200', 'POST text 200']);
});

test('an error keeps its code', async () => {
  const { page } = connect(plain);
  await assert.rejects(page(feed, { first: 101 }), (error) => {
    assert.ok(CombinedGraphQLErrors.is(error), error);
    return error.errors[0].extensions.code === 'BAD_USER_INPUT';
  });
});

// What the client prints is, byte for byte, what the manifest's tool wrote: so each
// operation of the manifest is known at its first use.
test('documents of a manifest are known by their hash', async () => {
  const { client, page, exchanges } = connect(trustedOnly, {}, { authorization: 'Bearer alice' });
  const { edges } = (await page(gql(readFileSync(new URL('feed.graphql', trusted), 'utf8')), { first: 1 })).feed;
  const like = gql(readFileSync(new URL('like_post.graphql', trusted), 'utf8'));
  const { data } = await client.mutate({ mutation: like, variables: { input: { postId: edges[0].node.id } } });
  assert.ok(data.likePost.post.likeCount > 0);
  assert.deepEqual(sent(exchanges), ['POST hash 200', 'POST hash 200']);
});

test('no other document is executed', async () => {
  const { page, exchanges } = connect(trustedOnly);
  await assert.rejects(page(named('Another'), { first: 1 }), (error) => error.errors[0].extensions.code === 'FORBIDDEN');
  assert.deepEqual(sent(exchanges), ['POST hash 400', 'POST text 403']);
});
