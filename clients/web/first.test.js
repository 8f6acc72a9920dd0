// The first view, as the server paints it: for readers without scripts, and until the app takes over.
import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { serveOn, stores } from '../harness.js';
import { asker } from './asker.js';
import { accessible, closeAll, known, open } from './browser.js';

const servers = await Promise.all(stores.map(async (store) => [store, await serveOn(store)]));
for (const [store, server] of servers) describe(`on ${store}`, () => firstViews(server));

function firstViews({ url, graphql }) {
  afterEach(closeAll);
  const { ask, write, say } = asker(graphql);

  test('without scripts all is read: posts, comments, people, and what is older', async () => {
    const post = await write('Read by all', 'Without *any* script.\n\n| a | b |\n|---|---|\n| c | d |');
    for (let number = 1; number <= 25; number++) await say(post.id, `Number ${number}.`);
    const { page, problems } = await open(url, { javaScriptEnabled: false });
    await page.goto('/');
    const newest = await page.locator('article h2').allTextContents();
    assert.equal(newest.length, 12);
    await page.getByRole('link', { name: 'Older posts' }).click();
    const older = await page.locator('article h2').allTextContents();
    assert.equal(older.length, 12);
    await page.goto('/');
    await page.getByRole('link', { name: 'Read by all', exact: true }).click();
    assert.equal(await page.title(), 'Read by all · Broadsheet');
    assert.equal(await page.locator('.prose em').textContent(), 'any');
    assert.equal(await page.locator('.comment').count(), 20);
    await page.getByRole('link', { name: 'Older comments' }).click();
    assert.deepEqual(await page.locator('.comment-text').allTextContents(), ['Number 5.', 'Number 4.', 'Number 3.', 'Number 2.', 'Number 1.']);
    await page.locator('.post-meta').getByRole('link', { name: 'alice' }).click();
    await page.getByRole('heading', { name: 'Read by all' }).waitFor();
    assert.deepEqual(problems, []);
    await page.goto('/posts/none');
    await page.getByRole('heading', { level: 1, name: 'No such post' }).waitFor();
    await page.getByRole('link', { name: 'The newest posts' }).click();
    assert.equal(await page.locator('article').count(), 12);
  });

  test('a first view asks nothing of the API, and what comes later goes on from it', async () => {
    const post = await write('At once', 'It is there.');
    await say(post.id, 'So is this.');
    const gone = await write('Gone', 'Soon.');
    await ask('mutation ($id: ID!) { deletePost(input: { id: $id }) { deletedId } }', { id: gone.id }, 'alice');
    for (const [address, shown] of [['/', 'At once'], [`/posts/${post.id}`, 'So is this.'], ['/users/alice', 'At once'], [`/posts/${gone.id}`, 'It was deleted']]) {
      const { page, requests } = await open(url);
      await page.goto(address);
      await page.locator('#main[tabindex]').getByText(shown).first().waitFor();
      await taken(page);
      await page.waitForLoadState('networkidle');
      assert.deepEqual(requests, [], address);
    }
    const { page, requests, problems } = await open(url);
    await page.goto('/');
    await taken(page);
    while ((await page.locator('article').count()) < 30) await page.mouse.wheel(0, 100_000);
    const links = await page.locator('article h2 a').evaluateAll((all) => all.map(({ href }) => href));
    assert.equal(new Set(links).size, links.length);
    assert.deepEqual(new Set(requests), new Set(['FeedPage']));
    await say(post.id, 'And this.');
    await page.evaluate(() => scrollTo(0, 0));
    await page.getByRole('link', { name: 'At once', exact: true }).click();
    await page.getByText('And this.').waitFor();
    assert.deepEqual(problems, []);
  });

  test('an address of older posts shows them, and the newest stay the newest', async () => {
    const plain = await open(url, { javaScriptEnabled: false });
    await plain.page.goto('/');
    const newest = await plain.page.locator('article h2').first().textContent();
    await plain.page.getByRole('link', { name: 'Older posts' }).click();
    const older = await plain.page.locator('article h2').first().textContent();
    const { page, requests, problems } = await open(url);
    await page.goto(plain.page.url());
    await taken(page);
    assert.equal(await page.locator('article h2').first().textContent(), older);
    assert.ok(!requests.includes('PostPage'));
    await page.getByRole('link', { name: 'Broadsheet', exact: true }).click();
    await page.locator('article h2').first().getByText(newest, { exact: true }).waitFor();
    await page.goBack();
    await page.locator('article h2').first().getByText(older, { exact: true }).waitFor();
    assert.deepEqual(problems, []);
  });

  test('what is written is among the newest, and not in a list that begins behind a cursor', async () => {
    const plain = await open(url, { javaScriptEnabled: false });
    await plain.page.goto('/');
    await plain.page.getByRole('link', { name: 'Older posts' }).click();
    const titles = (page) => page.locator('article h2').allTextContents();
    const older = (await titles(plain.page))[0];
    const { page, problems } = await open(url, { token: 'alice' });
    await page.goto(plain.page.url());
    await taken(page);
    await page.getByRole('link', { name: 'Write', exact: true }).click();
    await page.getByLabel('Title').fill('Newer than all');
    await page.getByLabel('Text', { exact: true }).fill('It is no older post.');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('heading', { level: 1, name: 'Newer than all' }).waitFor();
    while (!page.url().includes('after=')) await page.goBack();
    await page.getByRole('heading', { level: 1, name: 'Older posts' }).waitFor();
    await page.getByRole('article').first().waitFor();
    assert.equal((await titles(page))[0], older);
    await page.getByRole('link', { name: 'Broadsheet', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'The newest posts' }).waitFor();
    await page.locator('article h2').first().getByText('Newer than all', { exact: true }).waitFor();
    assert.deepEqual(problems, []);
  });

  test('who is signed in sees the painted page until their own is there', async () => {
    const post = await write('For you', 'Too.', 'bob');
    const { page, requests, problems } = await open(url, { token: 'alice' });
    let answer;
    const asked = new Promise((resolve) => (answer = resolve));
    await page.route('**/graphql', async (route) => {
      await asked;
      await route.continue();
    });
    await page.goto(`/posts/${post.id}`);
    await page.locator('.prose').getByText('Too.').waitFor();
    answer();
    await known(page, 'alice');
    assert.deepEqual(requests, ['PostPage']);
    assert.deepEqual(problems, []);
  });

  const shapes = { phone: { viewport: { width: 390, height: 844 } }, desktop: { viewport: { width: 1280, height: 900 } } };
  for (const [shape, options] of Object.entries(shapes)) {
    test(`nothing moves when the app takes over, ${shape}`, async () => {
      const post = await write('Still', 'A *text* with `code`.\n\n## A heading\n\n1. one\n2. two\n\n> said\n\n```\ncode\n```\n\n[a link](https://example.org)');
      for (let number = 1; number <= 3; number++) await say(post.id, `Number ${number}.`);
      for (const address of ['/', `/posts/${post.id}`, '/users/alice']) {
        const { page, problems } = await open(url, options);
        await page.addInitScript(() => {
          globalThis.moved = 0;
          new PerformanceObserver((list) => list.getEntries().forEach((entry) => (globalThis.moved += entry.value))).observe({ type: 'layout-shift', buffered: true });
        });
        let go;
        const held = new Promise((resolve) => (go = resolve));
        await page.route('**/assets/*.js', async (route) => {
          await held;
          await route.continue();
        });
        await page.goto(address, { waitUntil: 'commit' });
        await page.locator('.endless').last().waitFor({ state: 'attached' });
        await page.waitForFunction(() => document.styleSheets.length > 0 && getComputedStyle(document.querySelector('.top')).display === 'flex');
        await accessible(page, `${address}, painted`);
        const before = await places(page);
        go();
        await taken(page);
        const after = await places(page);
        assert.deepEqual(after, before, address);
        assert.ok((await page.evaluate(() => globalThis.moved)) < 0.01, address);
        assert.deepEqual(problems, []);
      }
    });
  }
}

/** taken waits until the app has taken over: its likes are buttons, its first region of news has a role. */
async function taken(page) {
  await page.waitForFunction(() => document.querySelector('.unseen[role=status]') !== null);
}

/** places are where the parts of a page stand, and what they say. Times are said otherwise by an app that knows the hour. */
function places(page) {
  return page.evaluate(() =>
    [...document.querySelectorAll('.top, h1, h2, .excerpt, .prose > *, .card, .card-counts, .post-foot, .comments, .comments-head, .comment, .comment-text, .bio')].map((element) => {
      const { top, height } = element.getBoundingClientRect();
      const says = element.matches('h1, h2, .excerpt, .prose > *, .comment-text, .bio') ? element.textContent : '';
      return `${element.tagName} ${element.className} ${Math.round(top)} ${Math.round(height)} ${says}`;
    }),
  );
}
