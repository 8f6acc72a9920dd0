// The playground as a first visitor meets it: each saved operation does something true when it is
// first played on the demo data, in whichever order they are played.
import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import path from 'node:path';
import { test } from 'node:test';
import { serve } from '../harness.js';
import { open } from '../web/browser.js';

/** What each operation is to answer, by its name. */
const truths = {
  Feed: ({ feed }) => feed.edges.length === 5,
  NewestPost: ({ feed }) => feed.edges[0].node.comments.edges.length >= 0,
  Post: ({ post }) => post.title !== '',
  UserPosts: ({ userPosts }) => userPosts.edges.length > 0,
  Viewer: ({ viewer }) => viewer.email !== null,
  CreateUser: ({ createUser }) => createUser.user.username === 'dana',
  Write: ({ createPost }) => createPost.post.author.username.startsWith('alice'),
  Comment: ({ createComment }) => createComment.post.commentCount > 0,
  Like: ({ likePost }) => likePost.post.viewerHasLiked,
  Rename: ({ updateUser }) => updateUser.user.username === 'alice_the_author',
  Watch: ({ postChanged }) => postChanged.post.likeCount >= 0,
  Delete: ({ deletePost }) => deletePost.deletedId !== null,
  Conversations: ({ threads }) => threads.edges.length >= 0,
  Follow: ({ followUser }) => followUser.user.viewerFollows,
  Home: ({ home, viewer }) => home.edges.length >= 0 && viewer.likes.edges.length >= 0,
  Group: ({ group }) => group.memberCount > 0 && group.posts.edges.length > 0,
  CreateGroup: ({ createGroup }) => createGroup.group.memberCount === 1,
};
const names = Object.keys(truths);
const queries = ['Feed', 'NewestPost', 'Post', 'UserPosts', 'Viewer', 'Conversations', 'Home', 'Group'];
const ofOthers = ['Follow', 'Group']; // which an empty blog has not

/** shuffled returns an order of the names that a seed gives. */
function shuffled(seed) {
  let state = seed;
  const below = (n) => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0) % n;
  const order = [...names];
  for (let i = order.length - 1; i > 0; i--) {
    const j = below(i + 1);
    [order[i], order[j]] = [order[j], order[i]];
  }
  return order;
}

/** visit opens the playground of a new server. */
async function visit(size, ...flags) {
  const { url } = await serve(...flags);
  const { page, problems } = await open(url, { viewport: { width: 1280, height: 800 }, ...size });
  await page.goto('/playground');
  await page.locator('.graphiql-query-editor .view-line').first().waitFor();
  return { page, problems };
}

/** tabs returns the names of the open tabs. */
const tabs = (page) => page.locator('.graphiql-tab-button').evaluateAll((all) => all.map(({ title }) => title));

/** play opens a tab, presses Play, and returns the answer. */
async function play(page, name) {
  await page.locator(`.graphiql-tab-button[title=${name}]`).click();
  const button = page.locator('.graphiql-execute-button');
  await button.click();
  return JSON.parse(await shown(page));
}

/** shown returns the answer of the open tab, once it is there. */
function shown(page) {
  return page
    .waitForFunction(() => {
      const answer = globalThis.__MONACO?.editor.getModels().find(({ uri }) => uri.path.endsWith('response.json'))?.getValue();
      try {
        return JSON.parse(answer) && answer;
      } catch {
        return null;
      }
    })
    .then((handle) => handle.jsonValue());
}

const seed = Number(process.env.PLAYGROUND_SEED ?? randomInt(2 ** 31));
const orders = { 'as they stand': names, backward: [...names].reverse() };
for (const own of [seed, seed + 1]) orders[`PLAYGROUND_SEED=${own}`] = shuffled(own);

for (const [how, order] of Object.entries(orders)) {
  test(`each saved operation is true at its first Play: ${how}`, async () => {
    const { page, problems } = await visit();
    assert.deepEqual(await tabs(page), names);
    for (const name of order) {
      const { data, errors } = await play(page, name);
      assert.equal(errors, undefined, `${name}: ${JSON.stringify(errors)}`);
      for (const payload of Object.values(data)) assert.deepEqual(payload?.userErrors ?? [], [], name);
      assert.ok(truths[name](data), `${name}: ${JSON.stringify(data)}`);
      if (queries.includes(name)) {
        const [, charged, touched] = /^Cost (\d+) .* touched (\d+) /.exec(await page.locator('.cost').textContent());
        assert.ok(Number(touched) <= Number(charged), `${name}: charged ${charged}, touched ${touched}`);
      }
    }
    assert.deepEqual(problems, []);
  });
}

test('on a blog without data one makes an account, writes, and goes on', async () => {
  const { page, problems } = await visit({}, '--no-demo');
  for (const name of ['Feed', 'Viewer', 'CreateUser', 'Write', ...names.filter((name) => !['Feed', 'CreateUser', 'Write', 'Rename', 'Delete', 'Viewer', ...ofOthers].includes(name)), 'Delete', 'Rename']) {
    const { data, errors } = await play(page, name);
    assert.equal(errors, undefined, `${name}: ${JSON.stringify(errors)}`);
    for (const payload of Object.values(data)) assert.deepEqual(payload?.userErrors ?? [], [], name);
    if (name === 'CreateUser') assert.equal(data.createUser.user.username, 'alice');
    else if (name !== 'Feed' && name !== 'Viewer') assert.ok(truths[name](data), `${name}: ${JSON.stringify(data)}`);
  }
  assert.deepEqual(problems, []);
});

test('what a tab is played with is open below it, and its cost', async () => {
  const { page, problems } = await visit();
  const tool = page.locator('.graphiql-editor-tools .active');
  assert.equal(await tool.textContent(), 'Headers');
  await play(page, 'Like');
  assert.equal(await tool.textContent(), 'Variables');
  await page.locator('.graphiql-editor-tool:visible').getByText('postId').waitFor();
  assert.match(await page.locator('.cost').textContent(), /^Cost \d+ of 500 · touched \d+ partitions? by \d+ statements?$/);
  await play(page, 'Watch');
  assert.equal((await page.locator('.cost').count()) <= 1, true);
  await play(page, 'Viewer');
  assert.equal(await tool.textContent(), 'Headers');
  if (process.env.BROADSHEET_PICTURES) await page.screenshot({ path: path.join(process.env.BROADSHEET_PICTURES, 'playground.png') });
  assert.deepEqual(problems, []);
});

test('what was typed is there when the page is loaded again, and no tab twice', async () => {
  const { page } = await visit();
  await play(page, 'Post');
  const variables = () =>
    page
      .waitForFunction(() => globalThis.__MONACO?.editor.getModels().find(({ uri }) => uri.path.endsWith('variables.json'))?.getValue())
      .then((handle) => handle.jsonValue()); // an editor is there before its text
  const before = await variables();
  await page.waitForFunction( // GraphiQL keeps what was typed half a second later
    (index) => JSON.parse(localStorage.getItem('broadsheet:graphiql:tabState'))?.activeTabIndex === index,
    names.indexOf('Post'),
  );
  await page.reload();
  assert.equal(await variables(), before);
  assert.deepEqual(await tabs(page), names);
});
