import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { gql } from '@apollo/client';
import WebSocket from 'ws';
import { serve } from '../harness.js';
import { newClient } from './apollo/built/client.js';
import { watchPosts } from './apollo/built/live.js';
import { FeedPage, PostPage, Profile } from './apollo/built/operations.js';
import { comment, deletePost, editProfile, like } from './apollo/built/writes.js';
import { asker, keepsProfile } from './ask.js';

const manifest = fileURLToPath(new URL('apollo/gql/persisted-documents.json', import.meta.url));
const server = await serve();
const strict = await serve('--trusted-documents', manifest, '--trusted-documents-only');

function client(t, options = {}) {
  const { client, dispose } = newClient({ url: server.graphql, token: () => 'alice', webSocketImpl: WebSocket, ...options });
  t.after(() => (client.stop(), dispose()));
  return client;
}

const ofBob = async () => (await asker(server, 'bob')('mutation { createPost(input: { title: "By bob", content: "x" }) { post { id likeCount } } }')).createPost.post;

test('Apollo Client: the feed, page by page, and no request for a post that it brought', async (t) => {
  const apollo = client(t);
  const feed = apollo.watchQuery({ query: FeedPage, variables: { first: 5 } });
  const { data } = await new Promise((resolve) => {
    const shown = feed.subscribe((result) => result.data && resolve(result));
    t.after(() => shown.unsubscribe());
  });
  await feed.fetchMore({ variables: { after: data.feed.pageInfo.endCursor } });
  const { edges } = apollo.readQuery({ query: FeedPage, variables: { first: 5 } }).feed;
  assert.equal(new Set(edges.map(({ node }) => node.id)).size, 10);
  const { data: known } = await apollo.query({ query: gql`query ($id: ID!) { post(id: $id) { title } }`, variables: { id: edges[7].node.id }, fetchPolicy: 'cache-only' });
  assert.equal(known.post.title, edges[7].node.title);
});

test('Apollo Client: a like is shown at once, and taken back where the server refuses', async (t) => {
  const apollo = client(t);
  await apollo.query({ query: FeedPage, variables: { first: 5 } });
  const shown = (id) => apollo.readQuery({ query: FeedPage, variables: { first: 5 } }, true).feed.edges.find(({ node }) => node.id === id)?.node;
  const [{ node: post }] = apollo.readQuery({ query: FeedPage, variables: { first: 5 } }).feed.edges.filter(({ node }) => !node.viewerHasLiked);
  const liking = like(apollo, post);
  assert.equal(shown(post.id).likeCount, post.likeCount + 1);
  await liking;
  assert.equal(shown(post.id).viewerHasLiked, true);

  const stranger = client(t, { token: () => 'nobody' });
  await stranger.query({ query: FeedPage, variables: { first: 5 } });
  const of = () => stranger.readQuery({ query: FeedPage, variables: { first: 5 } }, true).feed.edges.find(({ node }) => node.id === post.id).node;
  const before = of();
  const refused = like(stranger, before);
  assert.equal(of().likeCount, before.likeCount + 1);
  const { data } = await refused;
  assert.equal(data.likePost.userErrors[0].code, 'FORBIDDEN');
  assert.deepEqual(of(), before);
});

test('Apollo Client: a comment stands in the list, a deleted post in none, without another request', async (t) => {
  const apollo = client(t);
  const { id } = await ofBob();
  await apollo.query({ query: PostPage, variables: { id } });
  await comment(apollo, id, 'Said.');
  const { post } = apollo.readQuery({ query: PostPage, variables: { id } });
  assert.equal(post.comments.edges[0].node.content, 'Said.');
  assert.equal(post.commentCount, 1);

  const own = (await asker(server, 'alice')('mutation { createPost(input: { title: "Mine", content: "x" }) { post { id } } }')).createPost.post.id;
  await apollo.query({ query: FeedPage, variables: { first: 5 } });
  const ids = () => apollo.readQuery({ query: FeedPage, variables: { first: 5 } }).feed.edges.map(({ node }) => node.id);
  assert.ok(ids().includes(own));
  await deletePost(apollo, own);
  assert.ok(!ids().includes(own));
});

test('Apollo Client: what is posted while a stream is open is told, once each', async (t) => {
  const apollo = client(t);
  const { data } = await apollo.query({ query: FeedPage });
  const { id: before } = await ofBob();
  const told = [];
  const both = new Promise((resolve) => {
    const stream = watchPosts(apollo, data.feed.liveCursor, (post) => told.push(post.id) === 2 && resolve());
    t.after(() => stream.unsubscribe());
  });
  const { id: after } = await ofBob();
  await both;
  assert.deepEqual(told, [before, after]);
});

test('Apollo Client: trusted documents, by the names that codegen gave them', async (t) => {
  const apollo = client(t, { url: strict.graphql, trusted: true });
  const { data } = await apollo.query({ query: FeedPage });
  assert.ok(data.feed.edges.length > 0);
});

test('Apollo Client: an edit with unset fields loses nothing', async (t) => {
  const apollo = client(t);
  const { data } = await apollo.query({ query: Profile });
  await keepsProfile(server, async (username) => {
    const { data: edited } = await editProfile(apollo, data.viewer, { username, displayName: data.viewer.displayName, bio: undefined });
    assert.deepEqual(edited.updateUser.userErrors, []);
  });
});
