// urql's core, with its exchange for automatic persisted queries.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client, fetchExchange } from '@urql/core';
import { persistedExchange } from '@urql/exchange-persisted';
import { createPost, feed, named } from './documents.js';
import { serve } from './harness.js';
import { record, sent } from './recorder.js';

const plain = await serve();
const withoutPersisted = await serve('--limit', 'persisted_queries=0');

/** connect returns a client that persists its queries, and what it exchanged. */
function connect({ graphql }, options = {}, headers = {}) {
  const { fetch, exchanges } = record();
  const client = new Client({
    url: graphql,
    fetch,
    fetchOptions: { headers },
    preferGetMethod: false,
    exchanges: [persistedExchange(options), fetchExchange],
  });
  const page = async (query, variables) => {
    const { data, error } = await client.query(query, variables).toPromise();
    if (error) throw error;
    return data;
  };
  return { client, exchanges, page };
}

for (const [how, preferGetForPersistedQueries] of [['POST', false], ['GET', 'force']]) {
  test(`a query is persisted, then named by its hash: ${how}`, async () => {
    const { page, exchanges } = connect(plain, { preferGetForPersistedQueries });
    const query = named(`Urql${how}`);
    const first = await page(query, { first: 3 });
    const second = await page(query, { first: 3, after: first.feed.pageInfo.endCursor });
    const ids = [...first.feed.edges, ...second.feed.edges].map((edge) => edge.node.id);
    assert.equal(new Set(ids).size, 6);
    assert.deepEqual(sent(exchanges), [`${how} hash 400`, `${how} text 200`, `${how} hash 200`]);
  });
}

test('a mutation', async () => {
  const { client, page, exchanges } = connect(plain, { enableForMutation: true }, { authorization: 'Bearer alice' });
  const title = 'By urql';
  const { data, error } = await client.mutation(createPost, { input: { title, content: 'x' } }).toPromise();
  assert.ifError(error);
  assert.equal(data.createPost.post.title, title);
  assert.deepEqual(sent(exchanges), ['POST hash 400', 'POST text 200']);
  assert.equal((await page(feed, { first: 1 })).feed.edges[0].node.title, title);
});

test('where nothing is persisted, the client gives up on hashes', async () => {
  const { page, exchanges } = connect(withoutPersisted, { preferGetForPersistedQueries: false });
  await page(feed, { first: 2 });
  await page(feed, { first: 3 });
  assert.deepEqual(sent(exchanges), ['POST hash 400', 'POST text 200', 'POST text 200']);
});

test('an error keeps its code', async () => {
  const { page } = connect(plain);
  await assert.rejects(page(feed, { first: 101 }), (error) => error.graphQLErrors[0].extensions.code === 'BAD_USER_INPUT');
});
