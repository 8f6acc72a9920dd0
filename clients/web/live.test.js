// The app's lists live: what one browser writes another is told of, whatever became of the connection.
import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { serveOn, stores } from '../harness.js';
import { lineTo } from '../line.js';
import { asker } from './asker.js';
import { closeAll, open } from './browser.js';

const servers = await Promise.all(stores.map(async (store) => {
  const server = await serveOn(store);
  return [store, server, await lineTo(server)];
}));
for (const [store, server, line] of servers) describe(`on ${store}`, () => live(server, line));

const bar = (page, name) => page.locator('.news').getByRole('button', { name, exact: true });
const titles = (page) => page.locator('article h2').allTextContents();
const comments = (page) => page.locator('.comment-text').allTextContents();

/** feedOf opens the feed, and waits until it is there. */
async function feedOf(url, options) {
  const opened = await open(url, options);
  await opened.page.goto('/');
  await opened.page.getByRole('article').first().waitFor();
  return opened;
}

/** publish writes a post as a person does, and returns when it was sent. */
async function publish(page, title) {
  await page.getByRole('link', { name: 'Write', exact: true }).click();
  await page.getByLabel('Title').fill(title);
  await page.getByLabel('Text', { exact: true }).fill('As it happens.');
  const began = performance.now();
  await page.getByRole('button', { name: 'Publish' }).click();
  return began;
}

function live({ url, graphql }, line) {
  afterEach(closeAll);
  const { ask, write, writeAll, say } = asker(graphql);

  test('two browsers see each other’s posts', async (t) => {
    const alice = await feedOf(url, { token: 'alice' });
    const bob = await feedOf(url, { token: 'bob' });
    for (const [writer, reader, title] of [[alice, bob, 'From alice'], [bob, alice, 'From bob']]) {
      const began = await publish(writer.page, title);
      await bar(reader.page, '1 new post').waitFor();
      t.diagnostic(`a post was told of ${Math.round(performance.now() - began)} ms after its writer pressed the button`);
      const before = await titles(reader.page);
      await bar(reader.page, '1 new post').click();
      await reader.page.getByRole('heading', { name: title }).waitFor();
      assert.deepEqual((await titles(reader.page)).slice(0, 1 + before.length), [title, ...before]);
      assert.equal(await reader.page.locator('.news button').count(), 0);
      assert.equal(await reader.page.evaluate(() => scrollY), 0);
      await writer.page.getByRole('heading', { level: 1, name: title }).waitFor();
      await writer.page.getByRole('link', { name: 'Broadsheet', exact: true }).click();
      await writer.page.getByRole('article').first().getByRole('heading', { name: title }).waitFor();
    }
    assert.deepEqual([...alice.problems, ...bob.problems], []);
  });

  test('two browsers see each other’s comments, counted and in order', async (t) => {
    const post = await write('A conversation', 'Begin.');
    const alice = await open(url, { token: 'alice' });
    const bob = await open(url, { token: 'bob' });
    for (const { page } of [alice, bob]) {
      await page.goto(`/posts/${post.id}`);
      await page.getByRole('heading', { name: 'No comments yet' }).waitFor();
    }
    for (const [speaker, listener, text, count] of [[alice, bob, 'Hello.', '1 comment'], [bob, alice, 'Hello to you.', '2 comments']]) {
      await speaker.page.getByLabel('Your comment').fill(text);
      const began = performance.now();
      await speaker.page.getByRole('button', { name: 'Comment', exact: true }).click();
      await bar(listener.page, '1 new comment').waitFor();
      t.diagnostic(`a comment was told of ${Math.round(performance.now() - began)} ms after its writer pressed the button`);
      await listener.page.getByRole('heading', { name: count, exact: true }).waitFor();
      await bar(listener.page, '1 new comment').click();
      await listener.page.locator('.comment').first().getByText(text).waitFor();
    }
    for (const { page } of [alice, bob]) assert.deepEqual(await comments(page), ['Hello to you.', 'Hello.']);
    // Oldest first, what is new is at the end.
    await alice.page.getByRole('radio', { name: 'Oldest first' }).check();
    await alice.page.locator('.comment').first().getByText('Hello.', { exact: true }).waitFor();
    await say(post.id, 'And goodbye.');
    await bar(alice.page, '1 new comment').click();
    await alice.page.locator('.comment').last().getByText('And goodbye.').waitFor();
    assert.deepEqual(await comments(alice.page), ['Hello.', 'Hello to you.', 'And goodbye.']);
    await bob.page.locator('.comment').first().getByText('And goodbye.').waitFor(); // his own, said elsewhere
    assert.deepEqual(await comments(bob.page), ['And goodbye.', 'Hello to you.', 'Hello.']);
    assert.deepEqual([...alice.problems, ...bob.problems], []);
  });

  test('one’s own posts are in the list at once, and once', async () => {
    const { page, context, problems } = await feedOf(url, { token: 'alice' });
    const other = await context.newPage();
    await other.goto('/');
    await publish(other, 'My own');
    await page.getByRole('article').first().getByRole('heading', { name: 'My own' }).waitFor();
    await other.getByRole('heading', { level: 1, name: 'My own' }).waitFor();
    await other.getByRole('link', { name: 'Broadsheet', exact: true }).click();
    await other.getByRole('article').first().getByRole('heading', { name: 'My own' }).waitFor();
    // What comes after it says that nothing of it is still to come.
    await write('Another’s', 'To see the order.', 'bob');
    for (const one of [page, other]) {
      await bar(one, '1 new post').click();
      await one.getByRole('heading', { name: 'Another’s' }).waitFor();
      assert.deepEqual((await titles(one)).slice(0, 2), ['Another’s', 'My own']);
      assert.equal((await titles(one)).filter((title) => title === 'My own').length, 1);
    }
    assert.deepEqual(problems, []);
  });

  test('what others edit or delete is so in each list at once', async () => {
    const [edited, deleted] = [await write('As it was', 'One.', 'bob'), await write('Soon gone', 'Two.', 'bob')];
    const readers = [await feedOf(url), await open(url), await feedOf(url, { token: 'bob' })];
    await readers[1].page.goto('/users/bob');
    const [was, is, gone] = ['As it was', 'As it is', 'Soon gone'].map((name) => readers.map(({ page }) => page.getByRole('heading', { name, exact: true })));
    await Promise.all([...was, ...gone].map((heading) => heading.waitFor()));
    await ask('mutation ($input: UpdatePostInput!) { updatePost(input: $input) { userErrors { message } } }', { input: { id: edited.id, title: 'As it is' } }, 'bob');
    await ask('mutation ($id: ID!) { deletePost(input: { id: $id }) { deletedId } }', { id: deleted.id }, 'bob');
    await Promise.all([...is.map((heading) => heading.waitFor()), ...[...was, ...gone].map((heading) => heading.waitFor({ state: 'detached' }))]);
    assert.deepEqual(readers.flatMap(({ problems }) => problems), []);
  });

  test('what came while another page was read is told of on the way back', async () => {
    const { page } = await feedOf(url);
    await page.locator('article h2 a').first().click();
    await page.locator('.prose').waitFor();
    await write('Meanwhile', 'Elsewhere.', 'bob');
    await page.goBack();
    await bar(page, '1 new post').click();
    await page.getByRole('article').first().getByRole('heading', { name: 'Meanwhile' }).waitFor();
  });

  for (const [what, apart, together] of [
    ['the browser is offline', async (context) => { await context.setOffline(true); line.down(); }, (context) => { line.up(); return context.setOffline(false); }],
    ['the line is down', () => line.down(), () => line.up()],
  ]) {
    test(`nothing is missing after ${what}, and nothing twice`, async (t) => {
      const { page, context } = await feedOf(`http://${line.host}`);
      const name = what.replaceAll(' ', '-');
      await write(`${name} 0`, 'Before.', 'bob');
      await bar(page, '1 new post').waitFor();
      await apart(context);
      const meanwhile = Array.from({ length: 100 }, (_, at) => `${name} ${at + 1}`);
      for (let at = 0; at < meanwhile.length; at += 10) await writeAll(meanwhile.slice(at, at + 10));
      const expected = meanwhile.toReversed();
      assert.equal(await bar(page, '1 new post').count(), 1);
      await together(context);
      const began = performance.now();
      await bar(page, '101 new posts').waitFor();
      t.diagnostic(`100 posts were told of ${Math.round(performance.now() - began)} ms after the connection was there again`);
      await bar(page, '101 new posts').click();
      await page.getByRole('heading', { name: expected[0], exact: true }).waitFor();
      const shown = (await titles(page)).filter((title) => title.startsWith(name));
      assert.deepEqual(shown, [...expected, `${name} 0`]);
    });
  }

  test('a comment is not missing, whenever the line is cut', async () => {
    const post = await write('Cut short', 'Again and again.');
    const { page } = await open(`http://${line.host}`);
    await page.goto(`/posts/${post.id}`);
    await page.getByRole('heading', { name: 'No comments yet' }).waitFor();
    const said = [];
    for (let number = 1; number <= 12; number++) {
      if (number % 3 === 0) line.cut();
      await say(post.id, `Number ${number}.`);
      said.unshift(`Number ${number}.`);
      if (number % 4 === 0) await bar(page, `${number} new comments`).waitFor();
    }
    await page.getByRole('heading', { name: '12 comments' }).waitFor();
    await bar(page, '12 new comments').click();
    await page.locator('.comment').first().waitFor();
    assert.deepEqual(await comments(page), said);
  });

  test('a connection that only seems to be there is given up', async () => {
    const { page } = await open(`http://${line.host}`);
    await page.clock.install();
    await page.goto('/');
    await page.getByRole('article').first().waitFor();
    await write('Heard', 'Before.', 'bob');
    await bar(page, '1 new post').waitFor();
    line.stall();
    await write('Not heard', 'Yet.', 'bob');
    await page.clock.fastForward(15_000); // it is asked for a sign of life
    await page.clock.fastForward(5_000);
    await bar(page, '2 new posts').waitFor();
  });

  test('a list whose events are kept no more is fetched anew', async () => {
    const { page, context } = await open(url);
    let expired = 0;
    await context.routeWebSocket(/\/graphql$/, (browser) => {
      const server = browser.connectToServer();
      browser.onMessage(async (message) => {
        const { id, type, payload } = JSON.parse(message);
        if (type !== 'subscribe' || payload.operationName !== 'PostCreated' || expired++ > 0) return server.send(message);
        await write('Long ago', 'By a day.', 'bob');
        browser.send(JSON.stringify({ id, type: 'error', payload: [{ message: 'kept no more', extensions: { code: 'CURSOR_EXPIRED' } }] }));
      });
    });
    await page.goto('/');
    await page.getByRole('article').first().waitFor();
    await page.getByRole('article').first().getByRole('heading', { name: 'Long ago' }).waitFor();
    await write('Just now', 'By a second.', 'bob');
    await bar(page, '1 new post').waitFor();
  });

  test('a list that lacks many is fetched anew when they are asked for', async () => {
    const { page } = await feedOf(`http://${line.host}`);
    await write('The first of many', 'So many.', 'bob');
    await bar(page, '1 new post').waitFor();
    line.down();
    for (let number = 0; number < 210; number++) await write(`Many ${number}`, 'So many.', 'bob');
    line.up();
    await bar(page, '200+ new posts').click();
    await page.getByRole('article').first().getByRole('heading', { name: 'Many 209', exact: true }).waitFor();
    assert.equal(await page.locator('.news button').count(), 0);
    const links = await page.locator('article h2 a').evaluateAll((all) => all.map(({ href }) => href));
    assert.equal(new Set(links).size, links.length);
    await write('One more', 'After all.', 'bob');
    await bar(page, '1 new post').waitFor();
  });

  test('a token that a stream refuses is dropped, and reading goes on', async () => {
    const { page, context } = await open(url, { token: 'alice' });
    let refused = 0;
    await context.routeWebSocket(/\/graphql$/, (browser) => {
      if (refused++ === 0) browser.onMessage(() => browser.close({ code: 4403, reason: 'Forbidden' }));
      else browser.connectToServer();
    });
    const again = page.waitForResponse((response) => /FeedPage/.test(response.request().postData()) && !response.request().headers().authorization);
    await page.goto('/');
    await page.getByText('Your sign-in has ended').waitFor();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    await again; // what is written from now on is new to the list
    await write('Still there', 'For everybody.', 'bob');
    await bar(page, '1 new post').waitFor();
  });
}
