import assert from 'node:assert/strict';
import { test } from 'node:test';
import WebSocket from 'ws';
import { serve } from '../harness.js';
import { asker, keepsProfile } from './ask.js';
import { newClient } from './urql/built/client.js';
import { FeedPage, Like, PostCreated, editProfile } from './urql/built/operations.js';

const server = await serve();

function client(t, subject = 'alice') {
  const { client, dispose } = newClient({ url: server.graphql, token: () => subject, webSocketImpl: WebSocket });
  t.after(dispose);
  return client;
}

test('urql: the feed, page by page', async (t) => {
  const urql = client(t);
  const first = await urql.query(FeedPage, { first: 5 }).toPromise();
  await urql.query(FeedPage, { first: 5, after: first.data.feed.pageInfo.endCursor }).toPromise();
  const all = urql.readQuery(FeedPage, { first: 5 }).data.feed;
  assert.equal(new Set(all.edges.map(({ node }) => node.id)).size, 10);
});

test('urql: a like is shown at once, and taken back where the server refuses', async (t) => {
  const urql = client(t, 'nobody');
  await urql.query(FeedPage, { first: 5 }).toPromise();
  const shown = [];
  const watching = urql.query(FeedPage, { first: 5 }).subscribe(({ data }) => shown.push(data.feed.edges[0].node.likeCount));
  t.after(() => watching.unsubscribe());
  const [before] = shown;
  const id = urql.readQuery(FeedPage, { first: 5 }).data.feed.edges[0].node.id;
  const { data } = await urql.mutation(Like, { input: { postId: id } }).toPromise();
  assert.equal(data.likePost.userErrors[0].code, 'FORBIDDEN');
  assert.deepEqual(shown.filter((count, i) => count !== shown[i - 1]), [before, before + 1, before]);
});

test('urql: a stream goes on from a page', async (t) => {
  const urql = client(t);
  const { data } = await urql.query(FeedPage, { first: 5 }).toPromise();
  const told = new Promise((resolve) => {
    const stream = urql.subscription(PostCreated, { after: data.feed.liveCursor }).subscribe((event) => event.data && resolve(event.data.postCreated.post.title));
    t.after(() => stream.unsubscribe());
  });
  await asker(server, 'bob')('mutation { createPost(input: { title: "Told", content: "x" }) { post { id } } }');
  assert.equal(await told, 'Told');
});

test('urql: an edit with unset fields loses nothing', async (t) => {
  await keepsProfile(server, async (username) => {
    const { data } = await editProfile(client(t), { username, displayName: undefined, bio: undefined, email: undefined });
    assert.deepEqual(data.updateUser.userErrors, []);
  });
});
