// Nothing becomes blank: a part that does not come, or a text that can't be read, leaves the rest of the page.
import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { serve } from '../harness.js';
import { asker } from './asker.js';
import { accessible, closeAll, open } from './browser.js';

const { url, graphql } = await serve();
const { write, say } = asker(graphql);
afterEach(closeAll);

const nameplate = (page) => page.getByRole('link', { name: 'Broadsheet', exact: true });
const fault = (page) => page.getByText('This part of the page could not be loaded.');

test('a page that does not come says so, and comes when the browser is online again', async () => {
  const { page, context } = await open(url);
  await page.goto('/');
  const post = page.locator('article h2 a').first();
  const title = await post.textContent();
  await context.setOffline(true);
  await post.click();
  await fault(page).waitFor();
  await nameplate(page).waitFor();
  await accessible(page, 'a page that did not come');
  await context.setOffline(false);
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
});

const pages = { post: (id) => `/posts/${id}`, user: () => '/users/alice', follows: () => '/users/alice/followers', write: () => '/write', edit: (id) => `/posts/${id}/edit`, liked: () => '/liked', bookmarks: () => '/bookmarks', settings: () => '/settings', 'sign-in': () => '/sign-in' };

test('each page whose script fails is tried again', async () => {
  const { id } = await write('To be loaded', 'In parts.');
  for (const [script, address] of Object.entries(pages)) {
    const { page } = await open(url, { token: 'alice' });
    await page.route(`**/assets/${script}-*.js`, (route) => route.fulfill({ status: 404 }));
    await page.goto(address(id));
    await fault(page).waitFor();
    await nameplate(page).waitFor();
    await page.unroute(`**/assets/${script}-*.js`);
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { level: 1 }).waitFor();
    await closeAll();
  }
});

test('a part that fails leaves what is being written beside it', async () => {
  const { id } = await write('Parts', 'Many.');
  await say(id, 'Mine.', 'alice');
  const { page } = await open(url, { token: 'alice' });
  await page.goto(`/posts/${id}`);
  await page.getByLabel('Your comment').fill('Half a');
  for (const part of ['edit-comment', 'delete-comment', 'delete-post']) await page.route(`**/assets/${part}-*.js`, (route) => route.abort());
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('alert').filter({ hasText: 'could not be loaded' }).waitFor();
  await page.locator('.comment').getByRole('button', { name: 'Edit' }).click();
  await page.locator('.comment').getByText('could not be loaded').waitFor();
  await page.unrouteAll();
  await page.locator('.comment').getByRole('button', { name: 'Try again' }).click();
  await page.locator('.comment').getByLabel('Your comment').waitFor();
  assert.equal(await page.locator('.comment-form').getByLabel('Your comment').inputValue(), 'Half a');
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('dialog').waitFor();
});

test('a script that a new release took away loads the page anew, once', async () => {
  const { page } = await open(url);
  let loads = 0;
  await page.route(`${url}/**`, async (route) => {
    const request = route.request();
    if (/assets\/post-/.test(request.url())) return route.fulfill({ status: 404 });
    if (request.isNavigationRequest()) loads++;
    if (new URL(request.url()).pathname !== '/write' || request.resourceType() !== 'fetch') return route.continue();
    const answer = await route.fetch();
    return route.fulfill({ response: answer, body: (await answer.text()).replace(/index-[\w-]+\.js/, 'index-Released.js') });
  });
  await page.goto('/');
  await page.locator('article h2 a').first().click();
  await fault(page).waitFor();
  assert.equal(loads, 2);
  await page.unrouteAll();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.locator('.prose').waitFor();
});

const full = (mark) => mark.repeat(Math.floor(65_000 / mark.length));
const marks = [
  '>', '> ', '1. ', '- ', '* ', '*a ', '_a', '**a ', '*a_ ', '~~a ', '`', '``a', '[', '![', '[a](', '[a][', '<', '<!--', '*', '_', '**_', 'a**b', '***a',
  '\\', '&', '|', 'a|b\n-|-\n', '#', '```\n', '- a\n', '>\n- ', '1) a\n  ', '[a]: b\n', 'a@', 'www.', '=\n', 'a\n-\n', '<div>\n', '*😀', '> - ', '_a_', '*a*', 'a*',
];
const hostile = [...marks.map(full), `${'*'.repeat(32_000)}a${'*'.repeat(32_000)}`, `${'*a '.repeat(10_000)}${' b*'.repeat(10_000)}`];

test('a text by anybody is shown, however it is nested, and holds no page', { timeout: 300_000 }, async (t) => {
  const { page, problems } = await open(url, { token: 'alice' });
  await page.goto('/write');
  await page.getByLabel('Title').fill('Hostile');
  for (const text of hostile) {
    // Typed line by line, as fill does it, this takes the browser a minute by itself.
    await page.getByLabel('Text', { exact: true }).evaluate((field, value) => {
      Object.getOwnPropertyDescriptor(HTMLTextAreaElement.prototype, 'value').set.call(field, value);
      field.dispatchEvent(new Event('input', { bubbles: true }));
    }, text);
    const took = await page.evaluate(async () => {
      const began = performance.now();
      [...document.querySelectorAll('[role=tab]')].find(({ textContent }) => textContent === 'Preview').click();
      await new Promise(requestAnimationFrame);
      await new Promise((painted) => setTimeout(painted));
      return performance.now() - began;
    });
    await page.locator('.prose').waitFor({ state: 'attached' });
    t.diagnostic(`${JSON.stringify(text.slice(0, 8))}: ${Math.round(took)} ms`);
    assert.ok(took < 10_000, `${text.slice(0, 12)} took ${Math.round(took)} ms`); // without a bound: up to a minute
    await page.getByRole('tab', { name: 'Write' }).click();
  }
  assert.deepEqual(problems, []);
});

for (const text of ['>'.repeat(3000), '1. '.repeat(2000), `${'*a '.repeat(10_000)}${' b*'.repeat(10_000)}`]) {
  test(`a post of ${text.slice(0, 3)} leaves its page`, async () => {
    const post = await write('Deep', `${text}\n\nThe end.`);
    const { page, problems } = await open(url, { viewport: { width: 360, height: 800 } });
    await page.goto(`/posts/${post.id}`);
    await page.getByRole('heading', { level: 1, name: 'Deep' }).waitFor();
    await page.getByRole('heading', { name: 'No comments yet' }).waitFor();
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth));
    assert.deepEqual(problems, []);
  });
}
