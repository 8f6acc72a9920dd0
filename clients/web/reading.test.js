// How what is there is read: places in a page, other directions, large text, paper.
import assert from 'node:assert/strict';
import { after, afterEach, test } from 'node:test';
import { serve } from '../harness.js';
import { asker } from './asker.js';
import { closeAll, open } from './browser.js';

const server = await serve();
const { url } = server;
const { ask, write, say } = asker(server.graphql);
afterEach(closeAll);
after(() => server.stop());

/** inSight says whether an element's beginning is in the window. */
const inSight = (locator) => locator.evaluate((element) => element.getBoundingClientRect().top >= -1 && element.getBoundingClientRect().top < innerHeight);
const paragraphs = (n) => Array.from({ length: n }, (_, at) => `Paragraph ${at}.`).join('\n\n');

test('a fragment leads to the comments, and to one of them, however old', async () => {
  const post = await write('Long, with comments', paragraphs(60));
  const made = [];
  for (let n = 0; n < 30; n++) made.push(await say(post.id, `Comment ${n}`));
  const { page } = await open(url);
  await page.goto('/');
  const head = page.locator('#comments');
  await page.getByRole('article').filter({ hasText: 'Long, with comments' }).locator('.comment-count').click();
  await head.waitFor();
  await page.waitForFunction(() => document.getElementById('comments').getBoundingClientRect().top < innerHeight);
  assert.ok(await inSight(head));
  await page.goto('about:blank');
  await page.goto(`/posts/${post.id}#comments`);
  await page.waitForFunction(() => document.getElementById('comments')?.getBoundingClientRect().top < innerHeight);

  for (const at of [29, 3]) {
    await page.goto('about:blank');
    await page.goto(`/posts/${post.id}#comment-${made[at].id}`);
    const one = page.locator(`[id="comment-${made[at].id}"]`);
    await one.waitFor();
    await page.waitForFunction((id) => document.getElementById(id).getBoundingClientRect().top < innerHeight, `comment-${made[at].id}`);
    assert.ok(await inSight(one));
    assert.equal(await one.locator('.comment-text').textContent(), `Comment ${at}`);
  }
  await ask('mutation ($input: DeleteCommentInput!) { deleteComment(input: $input) { deletedId } }', { input: { id: made[3].id } }, 'bob');
  await page.reload();
  await page.getByText('The comment that a link led you to is not there.').waitFor();

  await page.goto('about:blank');
  await page.goto(`/posts/${post.id}#%`); // no encoding
  await page.locator('.comment').first().waitFor();
  assert.equal(await page.locator('.problem').count(), 0);

  await page.getByRole('link', { name: 'Broadsheet', exact: true }).click();
  await page.getByRole('article').first().waitFor();
  assert.equal(await page.evaluate(() => scrollY), 0);
});

test('a reload keeps the place in a list', async () => {
  const { page } = await open(url);
  await page.goto('/');
  await page.getByRole('article').nth(11).waitFor();
  for (const wanted of [3000, 9000]) {
    while ((await page.evaluate(() => scrollY)) < wanted) {
      await page.mouse.wheel(0, 1500);
      await page.evaluate(() => new Promise(requestAnimationFrame));
    }
    const before = await page.evaluate(() => scrollY);
    const seen = () => page.evaluate(() => [...document.querySelectorAll('article h2')].find((h) => h.getBoundingClientRect().top > 0)?.textContent);
    const first = await seen();
    await page.reload();
    await page.waitForFunction((y) => Math.abs(scrollY - y) < 2, before);
    assert.equal(await seen(), first);
  }
});

test('Arabic and Hebrew stand from the right, and a paragraph as its language does', async () => {
  const arabic = 'مرحبا بالعالم';
  const post = await write(arabic, `${arabic}!\n\n- ${arabic}\n\n> שלום עולם\n\nThis is English, in between.\n\n## עברית`);
  await say(post.id, 'שלום, זה נכון!');
  const { page } = await open(url);
  await page.goto(`/posts/${post.id}`);
  await page.locator('.comment-text').waitFor();
  const direction = (selector) => page.locator(selector).first().evaluate((element) => getComputedStyle(element).direction);
  for (const selector of ['.post-head h1', '.prose', '.prose ul', '.prose blockquote', '.comment-text']) assert.equal(await direction(selector), 'rtl', selector);
  const sides = await page.locator('.prose > p').evaluateAll((all) => all.map((element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const [text, box] = [range.getBoundingClientRect(), element.getBoundingClientRect()];
    return box.right - text.right < 2 ? 'right' : text.left - box.left < 2 ? 'left' : 'neither';
  }));
  assert.deepEqual(sides, ['right', 'left']);
  const bar = await page.locator('.prose blockquote').evaluate((element) => [getComputedStyle(element).borderRightWidth, getComputedStyle(element).borderLeftWidth]);
  assert.deepEqual(bar, ['2px', '0px']);
});

test('text of twice the size needs no scrolling sideways on a phone', async () => {
  const post = await write('A title of some length, as they are', paragraphs(3));
  await say(post.id, 'A comment.');
  const { page } = await open(url, { token: 'alice', viewport: { width: 390, height: 844 } });
  for (const path of ['/', '/?month=2026-01', `/posts/${post.id}`, '/users/alice', '/users/alice/followers', '/write', `/posts/${post.id}/edit`, '/settings', '/liked', '/bookmarks', '/nothing']) {
    await page.goto(path);
    await page.locator('main h1, main form').first().waitFor();
    await page.evaluate(() => (document.documentElement.style.fontSize = '200%'));
    const wide = await page.evaluate(() => [...document.querySelectorAll('body *')].filter((e) => e.getBoundingClientRect().right > 391).map((e) => `${e.tagName}.${e.className} ${e.textContent.slice(0, 30)}`));
    assert.deepEqual(wide, [], path);
  }
});

test('on paper are the words, dark on light', async () => {
  const post = await write('For paper', 'Words, and [a link](https://example.org/far).\n\n```\n' + 'code '.repeat(60) + '\n```');
  await say(post.id, 'A comment.');
  const { page } = await open(url, { token: 'alice', colorScheme: 'dark' });
  await page.goto(`/posts/${post.id}`);
  await page.locator('.comment-form textarea').waitFor();
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
  for (const shown of ['.post-head h1', '.prose p', '.comment-text', '.nameplate', '.post-meta .byline']) assert.ok(await page.locator(shown).first().isVisible(), shown);
  for (const hidden of ['.top nav', '.comment-form', '.orders', '.owner-actions', '.comment button', '.like']) assert.equal(await page.locator(hidden).filter({ visible: true }).count(), 0, hidden);
  assert.ok((await page.locator('.post-meta .byline').boundingBox()).x >= 0);
  const light = (colour) => colour.match(/[\d.]+/g).slice(0, 3).reduce((sum, part) => sum + Number(part), 0) / 3;
  const [paper, ink] = await page.evaluate(() => [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]);
  assert.ok(light(paper) > 240 && light(ink) < 60, `${ink} on ${paper}`);
  assert.ok(await page.locator('.prose pre').evaluate((element) => element.scrollWidth <= element.clientWidth));
});

test('of a long comment the beginning is shown, and all of it where one wants, and without scripts', async () => {
  const post = await write('With a long comment', 'Text.');
  await say(post.id, 'Words of a long comment. '.repeat(380));
  const { page } = await open(url);
  await page.goto(`/posts/${post.id}`);
  const text = page.locator('.comment-text');
  const height = () => text.evaluate((element) => element.clientHeight / parseFloat(getComputedStyle(element).lineHeight));
  const more = page.getByRole('button', { name: 'Show all of it' });
  await more.waitFor();
  assert.ok((await height()) < 16);
  await page.getByRole('button', { name: /^Like/ }).waitFor();
  await more.click();
  await page.getByRole('button', { name: 'Show less' }).waitFor();
  assert.ok((await height()) > 60);
  assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Show less');

  const { page: plain } = await open(url, { javaScriptEnabled: false });
  await plain.goto(`/posts/${post.id}`);
  assert.ok((await plain.locator('.comment-text').boundingBox()).height > 1500);
  assert.equal(await plain.locator('.unfold').isVisible(), false);
});

test('on a slow line the text is painted before the scripts have come', async (t) => {
  const post = await write('Over a slow line', paragraphs(20));
  for (const [path, first] of [['/', 'article h2'], [`/posts/${post.id}`, '.prose p'], ['/users/alice', 'article h2']]) {
    const { page, context } = await open(url, { viewport: { width: 390, height: 844 } });
    const line = await context.newCDPSession(page);
    await line.send('Network.emulateNetworkConditions', { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 }); // DevTools' slow 3G: 400 kbit/s
    const began = performance.now();
    await page.goto(path, { waitUntil: 'commit' });
    await page.locator(first).first().waitFor();
    const text = performance.now() - began;
    await page.waitForLoadState('load');
    const { painted, scripts } = await page.evaluate(() => ({
      painted: performance.getEntriesByName('first-contentful-paint')[0].startTime, // of all that the first response has
      scripts: Math.max(...performance.getEntriesByType('resource').filter(({ name }) => name.endsWith('.js')).map(({ responseEnd }) => responseEnd)),
    }));
    assert.ok(painted < scripts, `it was painted after ${painted} ms, and the scripts had come after ${scripts}`);
    t.diagnostic(`${path.slice(0, 7)}: its text after ${Math.round(text)} ms, all of the page after ${Math.round(performance.now() - began)} ms`);
  }
});
