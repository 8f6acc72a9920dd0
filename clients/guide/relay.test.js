import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { test } from 'node:test';
import WebSocket from 'ws';
import { serve } from '../harness.js';
import { asker, keepsProfile } from './ask.js';

const require = createRequire(import.meta.url);
const { newEnvironment } = require('./relay/.built/environment.js');
const { comment, deleteComment, edit, like, more, openPost, shown } = require('./relay/.built/post.js');

const server = await serve();
const ask = asker(server, 'bob');

function open(t, token = 'alice') {
  const { environment, dispose } = newEnvironment({ url: server.graphql, token, webSocketImpl: WebSocket });
  t.after(dispose);
  return environment;
}

/** commented is a post with so many comments. */
async function commented(n) {
  const { id } = (await ask('mutation { createPost(input: { title: "A post", content: "x" }) { post { id } } }')).createPost.post;
  for (let i = 1; i <= n; i++) await ask('mutation ($input: CreateCommentInput!) { createComment(input: $input) { comment { id } } }', { input: { postId: id, content: `${i}` } });
  return id;
}

const texts = (data) => data.comments.edges.map(({ node }) => node.content);

test('Relay: pages of a connection, through node', async (t) => {
  const environment = open(t);
  const post = await openPost(environment, await commented(5));
  assert.deepEqual(texts(shown(environment, post)), ['5', '4']);
  await more(environment, shown(environment, post));
  await more(environment, shown(environment, post));
  assert.deepEqual(texts(shown(environment, post)), ['5', '4', '3', '2', '1']);
  assert.equal(shown(environment, post).comments.pageInfo.hasNextPage, false);
});

test('Relay: edges come and go with mutations', async (t) => {
  const environment = open(t);
  const id = await commented(1);
  const post = await openPost(environment, id);
  await comment(environment, id, 'Said.');
  assert.deepEqual(texts(shown(environment, post)), ['Said.', '1']);
  assert.equal(shown(environment, post).commentCount, 2);
  await deleteComment(environment, id, shown(environment, post).comments.edges[0].node.id);
  assert.deepEqual(texts(shown(environment, post)), ['1']);
  assert.equal(shown(environment, post).commentCount, 1);
});

test('Relay: a like is shown at once, and taken back where the server refuses', async (t) => {
  const environment = open(t, 'nobody');
  const post = await openPost(environment, await commented(0));
  const liking = like(environment, shown(environment, post));
  assert.equal(shown(environment, post).likeCount, 1);
  assert.equal((await liking).likePost.userErrors[0].code, 'FORBIDDEN');
  assert.equal(shown(environment, post).likeCount, 0);
});

test('Relay: an edit with unset fields loses nothing', async (t) => {
  await keepsProfile(server, async (username) => {
    const { updateUser } = await edit(open(t), { username, displayName: undefined });
    assert.deepEqual(updateUser.userErrors, []);
  });
});
