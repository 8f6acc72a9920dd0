// Each page as it looks, on a telephone and a desk, light and dark: kept as a picture to look at, and
// judged by axe.
import assert from 'node:assert/strict';
import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, test } from 'node:test';
import { serve } from '../harness.js';
import { asker } from './asker.js';
import { accessible, closeAll, known, open } from './browser.js';

const { url, graphql } = await serve();
const { ask, write, say } = asker(graphql);
const pictures = process.env.BROADSHEET_PICTURES ?? path.join(tmpdir(), 'broadsheet-pictures');
await mkdir(pictures, { recursive: true });

const text = `A first paragraph, with a [link](https://example.org), *a word that matters*, **one that matters more** and \`code\`.

It goes on for a while, so that the measure of a line can be seen: some seventy characters, which is what an eye follows without losing its place on the way back.

## A heading

> A quotation, of somebody who said it better.

- One thing
- and another

\`\`\`
SELECT title FROM posts_by_author WHERE author_id = ? LIMIT 20
\`\`\`

| Query | Partitions |
|---|---|
| a feed | one |
| a post | one |
`;
const post = await write('What to look at', text);
await say(post.id, 'Well said.', 'alice');
await say(post.id, 'I see it otherwise.\n\nTwo paragraphs’ worth of otherwise.', 'bob');
for (const [one, follows] of [['alice', 'carla'], ['bob', 'alice'], ['carla', 'alice'], ['dmitri', 'alice']]) {
  const { user } = await ask('query ($username: String!) { user(username: $username) { id } }', { username: follows });
  await ask('mutation ($id: ID!) { followUser(input: { userId: $id }) { userErrors { code } } }', { id: user.id }, one);
}

const addresses = {
  feed: '/',
  post: `/posts/${post.id}`,
  user: '/users/alice',
  other: '/users/bob',
  followed: '/users/carla',
  followers: '/users/alice/followers',
  following: '/users/alice/following',
  write: '/write',
  edit: `/posts/${post.id}/edit`,
  home: '/home',
  liked: '/liked',
  bookmarks: '/bookmarks',
  settings: '/settings',
  'sign-in': '/sign-in',
  'no-post': '/posts/none',
};

/** What is seen only after something was done: it is done on the page that is named first. */
const states = {
  'new-posts': ['/', async (page) => {
    await page.getByRole('article').first().waitFor();
    for (const number of [1, 2, 3]) await write(`News ${number}`, 'Just in.', 'bob');
    await page.getByRole('button', { name: '3 new posts' }).waitFor();
  }],
  'new-comments': [`/posts/${post.id}#comments`, async (page) => {
    await page.locator('.comment').first().waitFor();
    await say(post.id, 'Just in.', 'bob');
    await page.locator('.news button').waitFor();
    await page.locator('#comments').scrollIntoViewIfNeeded();
  }],
  'delete-it': [`/posts/${post.id}`, async (page) => {
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('dialog').waitFor();
  }],
  preview: [`/posts/${post.id}/edit`, async (page) => {
    await page.getByRole('tab', { name: 'Preview' }).click();
    await page.locator('.prose h3').waitFor();
  }],
  conflict: [`/posts/${post.id}/edit`, async (page) => {
    await page.getByLabel('Text', { exact: true }).fill(text.replace('for a while', 'and on'));
    await ask('mutation ($input: UpdatePostInput!) { updatePost(input: $input) { userErrors { message } } }', { input: { id: post.id, content: `${text}\n\nOne more, ${Date.now()}.` } }, 'alice');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'This post was changed' }).waitFor();
  }],
  mistakes: ['/write', async (page) => {
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.locator('.mistake').first().waitFor();
  }],
};

afterEach(closeAll);

const shapes = { phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }, desktop: { viewport: { width: 1280, height: 900 } } };

for (const [shape, options] of Object.entries(shapes)) {
  for (const colorScheme of ['light', 'dark']) {
    test(`every page, ${shape}, ${colorScheme}: accessible, and kept as a picture`, async () => {
      const { page, problems } = await open(url, { token: 'alice', colorScheme, ...options });

      async function keep(name) {
        await page.waitForLoadState('networkidle');
        await accessible(page, name);
        assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} is wider than the screen`);
        await page.screenshot({ path: path.join(pictures, `${name}-${shape}-${colorScheme}.png`) });
      }

      for (const [name, address] of Object.entries(addresses)) {
        await page.goto(address);
        await page.getByRole('heading', { level: 1 }).waitFor();
        await keep(name);
      }
      for (const [name, [address, reach]] of Object.entries(states)) {
        await page.goto(address);
        await known(page, 'alice');
        await reach(page);
        await keep(name);
      }
      assert.deepEqual(problems, ['Failed to load resource: the server responded with a status of 404 (Not Found)']); // of the post that is none
    });
  }
}
