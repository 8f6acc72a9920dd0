// The app as a reader and a writer meet it, in a browser, against the real server on each store.
import assert from 'node:assert/strict';
import { afterEach, describe, test } from 'node:test';
import { serveOn, stores } from '../harness.js';
import { asker } from './asker.js';
import { accessible, closeAll, known, open } from './browser.js';

const servers = await Promise.all(stores.map(async (store) => [store, await serveOn(store)]));
for (const [store, server] of servers) describe(`on ${store}`, () => journey(server));

/** journey is what a reader and a writer do. */
function journey({ url, graphql, operate }) {
  afterEach(closeAll);
  const { ask, write, writeAll, say, joins } = asker(graphql);

  test('the front page is painted without a request, and goes on for ever', async () => {
    const { page, problems, requests } = await open(url);
    await page.goto('/');
    await page.getByRole('article').first().waitFor();
    assert.deepEqual(requests, []);
    const first = await page.getByRole('article').count();
    for (let known = first; known < first + 24; known = await page.getByRole('article').count()) {
      await page.mouse.wheel(0, 100_000);
      await page.waitForFunction((before) => document.querySelectorAll('article').length > before, known);
    }
    const links = await page.locator('article h2 a').evaluateAll((all) => all.map(({ href }) => href));
    assert.equal(new Set(links).size, links.length);
    assert.deepEqual(problems, []);
  });

  test('where the browser keeps nothing, a person is signed in as long as the page is open', async () => {
    const { page, problems } = await open(url);
    await page.addInitScript(() => {
      for (const name of ['localStorage', 'sessionStorage']) {
        Object.defineProperty(globalThis, name, { get() { throw new DOMException('denied', 'SecurityError'); } });
      }
    });
    await page.goto('/');
    await page.getByRole('link', { name: 'Sign in' }).first().click();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await known(page, 'alice');
    await page.getByRole('button', { name: /^Like/ }).first().click();
    await page.locator('button.like[aria-pressed=true]').first().waitFor();
    assert.deepEqual(problems, []);
  });

  test('nothing moves while a page loads', async () => {
    const { page } = await open(url);
    await page.addInitScript(() => {
      globalThis.moved = 0;
      new PerformanceObserver((list) => list.getEntries().forEach((entry) => (globalThis.moved += entry.value))).observe({ type: 'layout-shift', buffered: true });
    });
    await page.goto('/');
    await page.getByRole('article').first().waitFor();
    assert.ok((await page.evaluate(() => globalThis.moved)) < 0.1);
  });

  test('a narrow screen is never scrolled sideways', async () => {
    const { id } = await write('A'.repeat(100), `${'b'.repeat(400)}\n\n| a | b |\n|---|---|\n| ${'c'.repeat(300)} | d |`, 'alice');
    const { page } = await open(url, { token: 'alice', viewport: { width: 320, height: 640 } });
    await page.clock.setFixedTime('2026-09-30T12:00:00Z'); // a Wednesday: the longest of dates
    for (const path of ['/', `/posts/${id}`, '/users/alice', '/users/bob/followers', '/home', '/liked', '/bookmarks', '/groups', '/settings', '/write', '/sign-in', '/nowhere']) {
      await page.goto(path);
      await known(page, 'alice');
      await page.locator('h1').waitFor();
      assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 320, path);
    }
  });

  test('the posts of a month', async () => {
    const { page, problems, requests } = await open(url);
    const month = (date) => new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' }).format(date);
    const now = new Date();
    await writeAll(Array.from({ length: 13 }, (_, n) => `This month’s ${n + 1}`), 'alice');
    await page.goto('/users/alice');
    await page.getByRole('link', { name: 'By month' }).click();
    await page.getByRole('heading', { name: month(now) }).waitFor();
    await page.getByRole('article').first().waitFor();
    await page.reload(); // it is painted, and nothing is asked
    const before = requests.length;
    await page.getByRole('article').first().waitFor();
    assert.equal(requests.length, before);
    await page.getByRole('link', { name: month(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 1)) }).waitFor();
    await page.goto(`/users/alice?month=${now.getUTCFullYear() - 3}-01`);
    await page.getByText('Nothing was written in this month.').waitFor();
    assert.equal(await page.getByRole('article').count(), 0);
    await accessible(page, 'a month');
    await page.getByRole('link', { name: 'All posts' }).click();
    await page.getByRole('article').first().waitFor();
    assert.deepEqual(problems, []);

    const { page: plain } = await open(url, { javaScriptEnabled: false });
    await plain.goto('/');
    await plain.getByRole('link', { name: 'By month' }).click();
    const shown = await plain.getByRole('article').count();
    await plain.getByRole('link', { name: 'Older posts' }).click();
    assert.match(plain.url(), /after=.*&month=/);
    assert.ok(shown > 0 && (await plain.getByRole('article').count()) > 0);
    await plain.goto(`/?month=${now.getUTCFullYear() - 3}-01`);
    await plain.getByText('Nothing was written in this month.').waitFor();
    for (const [path, status] of [['/?month=2026-13', 404], ['/users/alice?month=never', 404], ['/users/alice?month=1999-01', 200]]) {
      assert.equal((await fetch(url + path)).status, status, path);
    }
  });

  test('how long ago something was goes on', async () => {
    const post = await write('A minute ago', 'Text.');
    const { page } = await open(url);
    await page.clock.install();
    await page.goto(`/posts/${post.id}`);
    await page.getByRole('button', { name: /^Like/ }).waitFor();
    await page.locator('.post-meta').getByText('just now').waitFor();
    await page.clock.fastForward('05:00');
    await page.locator('.post-meta').getByText('5 minutes ago').waitFor();
  });

  test('the way back leads to where it was left', async () => {
    const { page, requests } = await open(url);
    await page.goto('/');
    const far = page.locator('article h2 a').nth(8);
    await far.scrollIntoViewIfNeeded();
    const [title, place] = [await far.textContent(), await page.evaluate(() => scrollY)];
    await far.click();
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    assert.equal(await page.evaluate(() => scrollY), 0);
    assert.equal(await page.title(), `${title} · Broadsheet`);
    const asked = requests.filter((name) => name === 'FeedPage').length;
    await page.goBack();
    await page.waitForFunction((expected) => Math.abs(scrollY - expected) < 50, place);
    assert.equal(requests.filter((name) => name === 'FeedPage').length, asked);
  });

  test('a moderator deletes what another wrote, suspends its author, and restores', async () => {
    await joins('spammer');
    await joins('keeper');
    await operate('user', 'promote', '--username', 'keeper');
    const [gone, stays] = [await write('Cheap watches', 'Buy.', 'spammer'), await write('More watches', 'Buy two.', 'spammer')];
    await say(stays.id, 'Buy three.', 'spammer');

    const { page: reader } = await open(url, { token: 'alice' });
    await reader.goto('/users/spammer');
    await known(reader, 'alice');
    assert.equal(await reader.getByRole('button', { name: 'Suspend' }).count(), 0);

    const { page, problems } = await open(url, { token: 'keeper' });
    await page.goto(`/posts/${gone.id}`);
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    assert.equal(await page.getByRole('link', { name: 'Edit' }).count(), 0);
    await page.getByRole('button', { name: 'Delete it' }).click();
    await page.getByText('The post was deleted.').waitFor();
    await page.goto(`/posts/${stays.id}`);
    await page.getByRole('button', { name: 'Delete this comment' }).click();
    await page.getByRole('button', { name: 'Delete it' }).click();
    await page.getByText('Buy three.').waitFor({ state: 'detached' });

    await page.goto('/users/spammer');
    await page.getByRole('button', { name: 'Suspend spammer' }).click();
    await accessible(page, 'suspending');
    await page.getByRole('dialog').getByRole('button', { name: 'Suspend' }).click();
    await page.getByText('spammer is suspended.').waitFor();

    const { page: suspended } = await open(url, { token: 'spammer' });
    await suspended.goto(`/posts/${stays.id}`);
    await suspended.getByText('Your account is suspended').waitFor();
    assert.equal(await suspended.getByRole('button', { name: 'Delete' }).count(), 0);
    assert.equal(await suspended.getByLabel('Your comment').count(), 0);
    await accessible(suspended, 'suspended');

    await page.getByRole('button', { name: 'Restore spammer' }).click();
    await page.getByText('spammer is restored').waitFor();
    await suspended.reload();
    await suspended.getByLabel('Your comment').waitFor();
    assert.deepEqual(problems, []);
  });

  test('an account is deleted by its owner, who typed its name', async () => {
    await joins('leaver');
    const { page, problems } = await open(url, { token: 'leaver' });
    await page.goto('/settings');
    await page.getByRole('button', { name: 'Delete your account' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Username').fill('alice');
    await accessible(page, 'leaving');
    await dialog.getByRole('button', { name: 'Delete it for good' }).click();
    await dialog.getByText(/^Username .*\.$/).waitFor();
    await dialog.getByLabel('Username').fill('leaver');
    await dialog.getByRole('button', { name: 'Delete it for good' }).click();
    await page.getByText('Your account was deleted.').waitFor();
    await page.getByRole('link', { name: 'Sign in' }).first().waitFor();
    assert.equal((await ask('{ user(username: "leaver") { id } }')).user, null);
    assert.deepEqual(problems, []);
  });

  test('signs in, likes, comments, edits, deletes', async () => {
    const post = await write('A day', 'Long *enough*.', 'bob');
    const { page, problems } = await open(url);
    await page.goto(`/posts/${post.id}`);
    await page.getByRole('link', { name: 'Sign in' }).first().click();
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'A day' }).waitFor();
    await known(page, 'alice');

    const like = page.getByRole('button', { name: /^Like/ });
    const answered = page.waitForResponse((response) => response.request().postData()?.includes('"operationName":"Like"'));
    await like.click();
    await page.locator('button.like[aria-pressed=true]').waitFor();
    await answered; // it was shown before
    assert.equal((await ask('query ($id: ID!) { post(id: $id) { likeCount } }', { id: post.id })).post.likeCount, 1);
    await like.click();
    await page.locator('button.like[aria-pressed=false]').waitFor();

    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await page.getByText('Your comment must not be empty').waitFor();
    await page.getByLabel('Your comment').fill('First!');
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    const comment = page.locator('.comment');
    await comment.getByText('First!').waitFor();
    await page.getByRole('heading', { name: '1 comment' }).waitFor();
    await comment.getByRole('button', { name: 'Edit' }).click();
    await comment.getByLabel('Your comment').fill('Second thoughts');
    await comment.getByRole('button', { name: 'Save' }).click();
    await comment.getByText('Second thoughts').waitFor();
    await comment.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete it' }).click();
    await page.getByRole('heading', { name: 'No comments yet' }).waitFor();
    await page.locator('.comment').waitFor({ state: 'detached' });
    assert.deepEqual(problems, []);
  });

  test('the author of a post deletes what another wrote below it, and edits it not', async () => {
    const post = await write('An open house', 'Come in.');
    await say(post.id, 'Buy this!', 'bob');
    for (const [token, actions] of [['bob', ['Reply to your comment', 'Edit your comment', 'Delete your comment']], ['alice', ['Reply to this comment', 'Delete this comment']]]) {
      const { page, problems } = await open(url, { token });
      await page.goto(`/posts/${post.id}`);
      const comment = page.locator('.comment');
      await comment.getByText('Buy this!').waitFor();
      await known(page, token);
      await comment.getByRole('button', { name: 'Reply' }).waitFor();
      assert.deepEqual(await comment.getByRole('button').allTextContents(), actions);
      if (token === 'alice') {
        await comment.getByRole('button', { name: 'Delete' }).click();
        await page.getByRole('button', { name: 'Delete it' }).click();
        await page.getByRole('heading', { name: 'No comments yet' }).waitFor();
        await page.locator('.comment').waitFor({ state: 'detached' });
      }
      assert.deepEqual(problems, []);
    }
  });

  test('a reply stands below what it replies to, and stays when that is deleted', async () => {
    const post = await write('A conversation', 'Talk.');
    for (const text of ['The first.', 'The second.']) await say(post.id, text);
    const { page, problems } = await open(url, { token: 'alice' });
    await page.goto(`/posts/${post.id}`);
    const conversations = async (...texts) => {
      await page.getByRole('radio', { name: 'Conversations' }).check();
      for (const [at, text] of texts.entries()) await page.locator('.threads .comment').nth(at).getByText(text, { exact: true }).waitFor();
      assert.equal(await page.locator('.threads .comment').count(), texts.length);
    };
    await conversations('The second.', 'The first.');
    const second = page.locator('.threads .comment').first();
    await second.getByRole('button', { name: 'Reply' }).click();
    await second.getByLabel('Your reply').fill('To the second.');
    await second.locator('form').getByRole('button', { name: 'Reply', exact: true }).click();
    await conversations('The second.', 'To the second.', 'The first.');
    await page.reload();
    await conversations('The second.', 'To the second.', 'The first.');
    await second.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete it' }).click();
    await conversations('This comment was deleted.', 'To the second.', 'The first.');

    // What others reply waits until it is asked for, and then stands where it belongs.
    const { threads } = await ask('query ($id: ID!) { threads(postId: $id) { edges { node { comment { id } } } } }', { id: post.id });
    const first = threads.edges.at(-1).node.comment.id;
    await ask('mutation ($input: CreateCommentInput!) { createComment(input: $input) { userErrors { code } } }', { input: { postId: post.id, parentId: first, content: 'To the first.' } }, 'bob');
    await page.getByRole('button', { name: '1 new comment' }).click();
    await conversations('This comment was deleted.', 'To the second.', 'The first.', 'To the first.');
    assert.deepEqual(problems, []);
  });

  test('comments are in the order that was chosen, to their end', { timeout: 300_000 }, async () => {
    const post = await write('Much said', 'By many.');
    for (let number = 1; number <= 45; number++) {
      await say(post.id, `Number ${number}.`);
    }
    const { page } = await open(url, { token: 'alice' });
    await page.goto(`/posts/${post.id}`);
    for (const [order, first, last] of [['Newest first', 45, 1], ['Oldest first', 1, 45]]) {
      await page.getByRole('radio', { name: order }).check();
      await page.locator('.comment').first().getByText(`Number ${first}.`, { exact: true }).waitFor();
      const end = page.locator('.comment-list').getByText(`Number ${last}.`, { exact: true });
      while (!(await end.isVisible())) await page.mouse.wheel(0, 2000);
      assert.equal(await page.locator('.comment').count(), 45);
      await page.evaluate(() => scrollTo(0, 0));
    }
    // The end of the oldest is reached: a new one is put there.
    await page.getByLabel('Your comment').fill('The last word.');
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
    await page.locator('.comment').last().getByText('The last word.').waitFor();
    await page.getByRole('radio', { name: 'Newest first' }).check();
    await page.locator('.comment').first().getByText('The last word.').waitFor();
  });

  test('a list goes on in a page that is so busy that it hears of its end late', async () => {
    const { page } = await open(url);
    await page.addInitScript(() => {
      const Observer = window.IntersectionObserver;
      window.IntersectionObserver = class extends Observer {
        constructor(seen, options) {
          let entries = [];
          super((more) => {
            if (!entries.length) setTimeout(() => seen(entries.splice(0)), 500);
            entries.push(...more);
          }, options);
        }
      };
    });
    await page.goto('/');
    for (let pages = 0; pages < 3; pages++) {
      const before = await page.getByRole('article').count();
      await page.getByRole('article').last().scrollIntoViewIfNeeded();
      await page.waitForFunction((known) => document.querySelectorAll('article').length > known, before);
      await page.evaluate(() => scrollTo(0, document.body.scrollHeight - 3000));
    }
  });

  test('who likes a post is named, the rest on request', async () => {
    const { feed } = await ask('{ feed(first: 100) { edges { node { id likeCount } } } }');
    const liked = feed.edges.map(({ node }) => node).find(({ likeCount }) => likeCount > 6);
    const { page } = await open(url);
    await page.goto(`/posts/${liked.id}`);
    await page.getByRole('button', { name: `${liked.likeCount - 6} more` }).click();
    await page.waitForFunction((count) => document.querySelectorAll('.liked-by a').length === count, liked.likeCount);
  });

  test('one’s own like is among those that are named, until it is taken back', async () => {
    const post = await write('Liked by me', 'Text.', 'bob');
    await ask('mutation ($id: ID!) { likePost(input: { postId: $id }) { userErrors { code } } }', { id: post.id }, 'bob');
    const { page, problems } = await open(url, { token: 'alice' });
    await page.goto(`/posts/${post.id}`);
    await known(page, 'alice');
    const names = page.locator('.liked-by a');
    await page.getByRole('button', { name: /^Like/ }).click();
    await names.nth(1).waitFor();
    assert.deepEqual(await names.allTextContents(), ['Alice Alder', 'Bob Birchwood']);
    await page.getByRole('button', { name: /^Like/ }).click();
    await names.nth(1).waitFor({ state: 'detached' });
    assert.deepEqual(await names.allTextContents(), ['Bob Birchwood']);
    assert.deepEqual(problems, []);
  });

  test('what one liked is on a page of one’s own, newest first', async () => {
    const posts = [];
    for (const title of ['Liked first', 'Liked second']) posts.push(await write(title, 'Worth it.', 'alice'));
    await ask('mutation { createUser(input: {username: "fan"}) { userErrors { code } } }', {}, 'fan');
    for (const { id } of posts) await ask('mutation ($id: ID!) { likePost(input: {postId: $id}) { userErrors { code } } }', { id }, 'fan');
    const { page, problems } = await open(url, { token: 'fan' });
    await page.goto('/users/fan');
    await page.getByRole('link', { name: 'What you liked' }).click();
    await page.getByRole('article').first().waitFor();
    assert.deepEqual(await page.getByRole('article').getByRole('heading', { level: 2 }).allTextContents(), ['Liked second', 'Liked first']);
    await page.getByRole('article').first().getByRole('button', { name: /^Like/ }).click();
    await page.locator('button.like[aria-pressed=false]').waitFor();
    await page.reload();
    await page.getByRole('article').filter({ hasText: 'Liked first' }).waitFor();
    assert.equal(await page.getByRole('article').count(), 1);
    await accessible(page, 'what one liked');
    assert.deepEqual(problems, []);
    assert.equal((await ask('{ user(username: "fan") { likes { edges { node { id } } } } }', {}, 'alice')).user.likes, null);
  });

  test('what one bookmarks is on a page of one’s own, newest first', async () => {
    const posts = [];
    for (const title of ['Kept first', 'Kept second']) posts.push(await write(title, 'Worth it.', 'alice'));
    await ask('mutation { createUser(input: {username: "keeper"}) { userErrors { code } } }', {}, 'keeper');
    const { page, problems } = await open(url, { token: 'keeper' });
    const toggle = async (pressed) => {
      const answered = page.waitForResponse((r) => r.request().postData()?.includes('ookmarkPost('));
      await page.getByRole('button', { name: 'Bookmark', pressed }).click();
      await page.getByRole('button', { name: 'Bookmark', pressed: !pressed }).waitFor();
      await answered;
    };
    for (const { id } of posts) {
      await page.goto(`/posts/${id}`);
      await toggle(false);
    }
    const { feed } = await ask('{ feed(first: 100) { edges { node { id likeCount } } } }');
    await page.goto(`/posts/${feed.edges.map(({ node }) => node).find(({ likeCount }) => likeCount > 6).id}`);
    const beside = await page.locator('.bookmark svg').boundingBox();
    const text = await page.locator('.post-foot').boundingBox();
    assert.ok(beside.width > 10 && beside.x + beside.width <= text.x + text.width, 'the button has room beside the names');
    await page.goto('/users/keeper');
    await page.getByRole('link', { name: 'Your bookmarks' }).click();
    await page.getByRole('article').first().waitFor();
    assert.deepEqual(await page.getByRole('article').getByRole('heading', { level: 2 }).allTextContents(), ['Kept second', 'Kept first']);
    await accessible(page, 'one’s bookmarks');
    await page.getByRole('link', { name: 'Kept second', exact: true }).first().click();
    await toggle(true);
    await page.goto('/bookmarks');
    await page.getByRole('article').filter({ hasText: 'Kept first' }).waitFor();
    assert.equal(await page.getByRole('article').count(), 1);
    assert.deepEqual(problems, []);
    for (const { node } of feed.edges.slice(0, 15)) await ask('mutation ($id: ID!) { bookmarkPost(input: {postId: $id}) { userErrors { code } } }', { id: node.id }, 'keeper');
    await page.reload();
    await page.getByRole('article').nth(11).scrollIntoViewIfNeeded();
    await page.getByRole('article').nth(14).waitFor();
    assert.equal((await ask('{ user(username: "keeper") { bookmarks { edges { node { id } } } } }', {}, 'alice')).user.bookmarks, null);
  });

  test('groups: made, joined, written in, left', async () => {
    await joins('founder');
    await joins('joiner');
    const { page, problems } = await open(url, { token: 'founder' });
    await page.goto('/users/founder');
    await page.getByRole('link', { name: 'Your groups' }).click();
    await page.getByText('You are in no group yet.').waitFor();
    await page.getByRole('button', { name: 'Make the group' }).click();
    await page.getByText('Name must have at least 3 characters').or(page.locator('.mistake').first()).first().waitFor();
    await accessible(page, 'a group that is refused');
    await page.getByLabel('Name').fill('Gardeners');
    await page.getByLabel('Title').fill('Gardens of the town');
    await page.getByLabel('Description').fill('What grows, and when.');
    await page.getByRole('button', { name: 'Make the group' }).click();
    await page.getByRole('heading', { level: 1, name: 'Gardens of the town' }).waitFor();
    await page.getByText('Nothing was written here yet.').waitFor();
    await accessible(page, 'a group');
    await page.getByRole('link', { name: 'Write in this group' }).click();
    await page.getByRole('link', { name: 'Gardens of the town' }).waitFor();
    await page.getByLabel('Title').fill('In May');
    await page.getByRole('textbox', { name: 'Text' }).fill('Beans.');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('heading', { level: 1, name: 'In May' }).waitFor();
    await page.locator('.post-meta').getByRole('link', { name: 'Gardens of the town' }).click();
    await page.getByRole('article').getByRole('link', { name: 'In May', exact: true }).waitFor();
    assert.deepEqual(problems, []);

    const { page: other } = await open(url, { token: 'joiner' });
    await other.goto('/groups/gardeners');
    await known(other, 'joiner');
    await other.getByRole('button', { name: 'Join Gardens of the town' }).click();
    await other.getByRole('button', { name: 'Member of Gardens of the town' }).waitFor();
    await other.getByRole('link', { name: '2 members' }).click();
    await other.getByRole('heading', { level: 1, name: 'Members of Gardens of the town' }).waitFor();
    assert.deepEqual(await other.locator('.people').getByRole('link').allTextContents(), ['joiner', 'founder']);
    await accessible(other, 'members');
    await other.goto('/write?group=gardeners');
    await other.getByLabel('Title').fill('In June');
    await other.getByRole('textbox', { name: 'Text' }).fill('Peas.');
    await ask('mutation ($id: ID!) { leaveGroup(input: { groupId: $id }) { userErrors { code } } }', { id: (await ask('{ group(name: "gardeners") { id } }')).group.id }, 'joiner');
    await other.getByRole('button', { name: 'Publish' }).click();
    await other.getByText('Only members write in a group. Join it first.').waitFor();
    await other.goto('/groups/nobodys');
    await other.getByRole('heading', { level: 1, name: 'No such group' }).waitFor();

    // Without scripts a post says where it was published.
    const { id } = (await ask('{ group(name: "gardeners") { posts { edges { node { id } } } } }')).group.posts.edges[0].node;
    assert.match(await (await fetch(`${url}/posts/${id}`)).text(), /in <a href="\/groups\/Gardeners">Gardens of the town<\/a>/);
  });

  test('a group is edited by its owner, and moderated by whom that one names', async () => {
    for (const name of ['chair', 'usher', 'tenor']) await joins(name);
    const made = (await ask('mutation { createGroup(input: { name: "Choir", title: "The choir" }) { group { id } } }', {}, 'chair')).createGroup.group;
    await ask('mutation ($id: ID!) { joinGroup(input: { groupId: $id }) { userErrors { code } } }', { id: made.id }, 'tenor');
    const input = { title: 'Too loud', content: 'Fortissimo.', groupId: made.id };
    const { post } = (await ask('mutation ($input: CreatePostInput!) { createPost(input: $input) { post { id } } }', { input }, 'tenor')).createPost;
    await say(post.id, 'Louder!');

    const { page, problems } = await open(url, { token: 'chair' });
    await page.goto('/groups/choir');
    await known(page, 'chair');
    await page.getByRole('link', { name: 'Edit this group' }).click();
    await page.getByLabel('Title').fill('The town’s choir');
    await page.getByLabel('Moderators').fill('usher, nobodys_name');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Moderators name nobodys_name, and nobody is called that.').waitFor();
    await accessible(page, 'a group that is edited');
    await ask('mutation ($id: ID!) { updateGroup(input: { id: $id, description: "We sing." }) { userErrors { code } } }', { id: made.id }, 'chair');
    await page.getByLabel('Moderators').fill('usher');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Go on with yours' }).click();
    await page.getByLabel('Description').fill('We sing.');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'The town’s choir' }).waitFor();
    await page.getByText('We sing.').waitFor();
    await page.getByRole('link', { name: '2 members' }).click();
    await page.getByText('Moderated by').getByRole('link', { name: 'usher' }).waitFor();

    const { page: moderator, problems: others } = await open(url, { token: 'usher' });
    await moderator.goto('/groups/choir/edit');
    await moderator.getByText('Only its owner edits a group.').waitFor();
    await moderator.goto(`/posts/${post.id}`);
    await moderator.locator('.comment').getByRole('button', { name: 'Delete' }).click();
    await moderator.getByRole('button', { name: 'Delete it' }).click();
    await moderator.getByRole('heading', { name: 'No comments yet' }).waitFor();
    await moderator.locator('.comment').waitFor({ state: 'detached' });
    await moderator.locator('.owner-actions').getByRole('button', { name: 'Delete' }).click();
    await moderator.getByRole('button', { name: 'Delete it' }).click();
    await moderator.getByText('The post was deleted.').waitFor();
    assert.deepEqual(others, []);

    await page.goto('/groups/choir/edit');
    await page.getByRole('button', { name: 'Delete the group' }).click();
    await page.getByRole('button', { name: 'Delete it' }).click();
    await page.getByRole('heading', { level: 1, name: 'Your groups' }).waitFor();
    assert.equal((await ask('{ group(name: "choir") { id } }')).group, null);
    assert.deepEqual(problems, []);
  });

  test('follows', async () => {
    const followed = (await joins('followed')).createUser.user;
    await joins('follower');
    const { page, problems } = await open(url, { token: 'follower' });
    const toggle = async (name, then) => {
      const answered = page.waitForResponse((r) => r.request().postData()?.includes('ollowUser('));
      await page.getByRole('button', { name, exact: true }).click();
      await page.getByRole('button', { name: then, exact: true }).waitFor();
      await answered;
    };
    await page.goto('/users/follower');
    await known(page, 'follower');
    assert.equal(await page.locator('button.follow').count(), 0);
    await page.getByRole('link', { name: '0 following' }).click();
    await page.getByText('follower follows nobody yet.').waitFor();
    await accessible(page, 'nobody is followed');

    await page.goto('/users/followed');
    await toggle('Follow followed', 'Following followed');
    await accessible(page, 'followed');
    await page.getByRole('link', { name: '1 follower', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Who follows followed' }).waitFor();
    assert.deepEqual(await page.locator('.people').getByRole('link').allTextContents(), ['follower']);
    await accessible(page, 'who follows');
    await page.locator('.people').getByRole('link').click();
    await page.getByRole('link', { name: '1 following' }).click();
    await page.getByRole('heading', { level: 1, name: 'Whom follower follows' }).waitFor();
    await page.locator('.people').getByRole('link', { name: 'followed' }).click();
    await toggle('Following followed', 'Follow followed');
    await page.getByRole('link', { name: '0 followers' }).click();
    await page.getByText('Nobody follows followed yet.').waitFor();

    const all = Array.from({ length: 30 }, (_, n) => `fan_${n}`);
    for (const name of all) {
      await joins(name);
      await ask('mutation ($id: ID!) { followUser(input: { userId: $id }) { userErrors { code } } }', { id: followed.id }, name);
    }
    const { page: stranger } = await open(url);
    await stranger.goto('/users/followed');
    await stranger.getByRole('link', { name: '30 followers' }).waitFor();
    assert.equal(await stranger.locator('button.follow').count(), 0);
    await stranger.getByRole('link', { name: '30 followers' }).click();
    await stranger.locator('.people li').nth(23).scrollIntoViewIfNeeded();
    await stranger.locator('.people li').nth(29).waitFor();
    assert.deepEqual(await stranger.locator('.people .byline').allTextContents(), all.toReversed());

    await page.goto('/users/followed');
    await page.route('**/graphql', (route) => (route.request().postDataJSON().operationName === 'Follow' ? route.fulfill({ status: 503, contentType: 'application/graphql-response+json', body: '{"errors":[{"message":"away","extensions":{"code":"UNAVAILABLE"}}]}' }) : route.continue()));
    assert.deepEqual(problems, []);
    await page.getByRole('button', { name: 'Follow followed' }).click();
    await page.getByRole('alert').getByText('taken back').waitFor();
    await page.getByRole('button', { name: 'Follow followed', pressed: false }).waitFor();
    await page.getByRole('link', { name: '30 followers' }).waitFor();
  });

  test('home', async () => {
    const author = (await joins('novelist')).createUser.user;
    await joins('reader');
    for (const title of ['Chapter one', 'Chapter two']) await write(title, 'Once upon a time.', 'novelist');
    const { page, problems } = await open(url, { token: 'reader' });
    await page.goto('/home');
    await page.getByText('Nobody whom you follow has written anything yet.').waitFor();
    await accessible(page, 'an empty home');
    await ask('mutation ($id: ID!) { followUser(input: { userId: $id }) { userErrors { code } } }', { id: author.id }, 'reader');
    await write('Chapter three', 'The end.', 'novelist');
    await page.goto('/users/reader');
    await page.getByRole('link', { name: 'Whom you follow' }).click();
    await page.getByRole('heading', { level: 1, name: 'Whom you follow' }).waitFor();
    await page.getByRole('article').nth(2).waitFor();
    assert.deepEqual(await page.getByRole('article').getByRole('heading', { level: 2 }).allTextContents(), ['Chapter three', 'Chapter two', 'Chapter one']);
    await accessible(page, 'home');
    await ask('mutation ($id: ID!) { unfollowUser(input: { userId: $id }) { userErrors { code } } }', { id: author.id }, 'reader');
    await page.reload();
    await page.getByText('Nobody whom you follow has written anything yet.').waitFor();
    const { page: stranger } = await open(url);
    await stranger.goto('/home');
    await stranger.getByText('to see what they write whom you follow').waitFor();
    assert.deepEqual(problems, []);
  });

  test('a like is counted at once, and taken back where the server refuses', async () => {
    const post = await write('Unloved', 'So far.', 'bob');
    const { page } = await open(url, { token: 'alice' });
    await page.goto(`/posts/${post.id}`);
    const like = page.getByRole('button', { name: /^Like, 0/ });
    await like.waitFor();
    let refuse;
    const held = new Promise((resolve) => (refuse = resolve));
    await page.route('**/graphql', async (route) => {
      if (route.request().postDataJSON().operationName !== 'Like') return route.continue();
      await held;
      await route.fulfill({ status: 503, contentType: 'application/graphql-response+json', body: '{"errors":[{"message":"away","extensions":{"code":"UNAVAILABLE"}}]}' });
    });
    await like.click();
    await page.getByRole('button', { name: /^Like, 1/, pressed: true }).waitFor();
    refuse();
    await page.getByRole('button', { name: /^Like, 0/, pressed: false }).waitFor();
    await page.getByRole('alert').getByText('taken back').waitFor();
    await page.unroute('**/graphql');
    await like.click();
    await page.getByRole('button', { name: /^Like, 1/, pressed: true }).waitFor();
    await page.getByRole('alert').getByText('taken back').waitFor({ state: 'detached' });
  });

  test('writes with a preview that executes nothing', async () => {
    const { page, problems } = await open(url, { token: 'alice' });
    await page.goto('/');
    await page.getByRole('article').first().waitFor();
    await page.getByRole('link', { name: 'Write' }).click();
    await page.getByLabel('Title').fill('On partitions');
    await page.getByLabel('Text', { exact: true }).fill(
      'One *query*.\n\n<img src=x onerror=alert(1)><script>alert(2)</script>\n\n[bad](javascript:alert(3)) [good](https://example.org)\n\n![picture](https://example.org/x.png)',
    );
    await page.getByRole('tab', { name: 'Preview' }).click();
    await page.locator('.prose em').getByText('query').waitFor();
    assert.equal(await page.locator('.prose :is(script, img, [onerror], a[href^="javascript"])').count(), 0);
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('heading', { level: 1, name: 'On partitions' }).waitFor();
    await page.getByRole('link', { name: 'Broadsheet', exact: true }).click();
    await page.getByRole('article').first().getByRole('heading', { name: 'On partitions' }).waitFor();
    assert.deepEqual(problems, []);
  });

  for (const [what, markdown, html] of [
    ['marks within a line', '*a* **b** ~~c~~ `<d>` &amp; &#8212; &nothing; \\*e\\*', '<p><em>a</em> <strong>b</strong> <del>c</del> <code>&lt;d&gt;</code> &amp; — &amp;nothing; *e*</p>'],
    ['headings below the page’s own', '# a\n\n###### b', '<h2>a</h2><h6>b</h6>'],
    ['lists', '3. a\n4. b\n\n- [x] c\n- d\n  - e', '<ol start="3"><li>a</li><li>b</li></ol><ul><li>☑ c</li><li>d<ul><li>e</li></ul></li></ul>'],
    ['a quotation, code, a rule', '> a\n\n```js\n<b>\n```\n\n---', '<blockquote><p>a</p></blockquote><pre tabindex="0"><code>&lt;b&gt;</code></pre><hr>'],
    ['a table', '| a | b |\n|---|--:|\n| c | d |', '<table tabindex="0"><thead><tr><th>a</th><th class="right">b</th></tr></thead><tbody><tr><td>c</td><td class="right">d</td></tr></tbody></table>'],
    ['links', '[a](/b "c") <https://d.example> [e][f]\n\n[f]: mailto:g@h.example', '<p><a href="/b" title="c" rel="nofollow ugc noopener">a</a> <a href="https://d.example" rel="nofollow ugc noopener">https://d.example</a> <a href="mailto:g@h.example" rel="nofollow ugc noopener">e</a></p>'],
    ['addresses that are not followed', '[a](javascript:alert(1)) [b](data:text/html,c) ![d](vbscript:e) [f](JaVaScRiPt:g)', '<p>a b d f</p>'],
    ['pictures as links', '![a](https://b.example/c.png)', '<p><a href="https://b.example/c.png" rel="nofollow ugc noopener">a</a></p>'],
    ['HTML as it was written', '<b onclick="x">a</b>\n\n<script>b</script>', '<p>&lt;b onclick="x"&gt;a&lt;/b&gt;</p><p>&lt;script&gt;b&lt;/script&gt;</p>'],
  ]) {
    test(`a text becomes elements: ${what}`, async () => {
      const post = await write(what, markdown);
      const { page, problems } = await open(url);
      await page.goto(`/posts/${post.id}`);
      assert.equal(await page.locator('.prose').innerHTML(), html);
      assert.deepEqual(problems, []);
    });
  }

  for (const [choice, result] of [['Go on with yours', 'Mine.'], ['Go on with theirs', 'Theirs.']]) {
    test(`a conflict of two edits is shown and resolved: ${choice}`, async () => {
      const post = await write('Contested', 'Ours.');
      const { page, problems } = await open(url, { token: 'alice' });
      await page.goto(`/posts/${post.id}/edit`);
      await page.getByLabel('Text', { exact: true }).fill('Mine.');
      await ask('mutation ($input: UpdatePostInput!) { updatePost(input: $input) { userErrors { message } } }', { input: { id: post.id, content: 'Theirs.' } }, 'alice');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'This post was changed while you were editing' }).waitFor();
      await accessible(page, 'the conflict');
      await page.getByRole('button', { name: choice }).click();
      await page.getByRole('button', { name: 'Save' }).click();
      await page.locator('.prose').getByText(result).waitFor();
      assert.equal((await ask('query ($id: ID!) { post(id: $id) { content } }', { id: post.id })).post.content, result);
      assert.deepEqual(problems, []);
    });
  }

  test('a rename shows everywhere at once, and clears nothing', async () => {
    await ask('mutation { createUser(input: {username: "renamed_me", displayName: "Kept", email: "kept@example.org"}) { userErrors { message } } }', {}, 'renamed_me');
    await write('By whom', 'It says.', 'renamed_me');
    const { page, problems } = await open(url, { token: 'renamed_me' });
    await page.goto('/settings');
    await page.getByLabel('Username').fill('a b');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.mistake', { hasText: /^Username / }).waitFor();
    await page.getByLabel('Username').fill('new_name');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Kept' }).waitFor();
    assert.equal(new URL(page.url()).pathname, '/users/new_name');
    const by = page.getByRole('article').filter({ hasText: 'By whom' }).getByRole('link', { name: 'Kept', exact: true });
    assert.equal(await by.getAttribute('href'), '/users/new_name');
    await page.getByRole('link', { name: 'Broadsheet', exact: true }).click();
    assert.equal(await by.getAttribute('href'), '/users/new_name');
    const { viewer } = await ask('{ viewer { displayName email } }', {}, 'renamed_me');
    assert.deepEqual(viewer, { displayName: 'Kept', email: 'kept@example.org' });
    await page.goto('/settings');
    await page.getByLabel('Name to show').fill('Shown');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { level: 1, name: 'Shown' }).waitFor();
    await page.getByRole('link', { name: 'Broadsheet', exact: true }).click();
    await page.getByRole('article').filter({ hasText: 'By whom' }).getByRole('link', { name: 'Shown', exact: true }).waitFor();
    assert.deepEqual(problems, []);
  });

  test('a newcomer makes an account; a deleted post is gone from the feed', async () => {
    const { page, problems } = await open(url);
    await page.goto('/sign-in?to=%2Fwrite');
    await page.getByLabel('Name').fill('newcomer');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Create your account' }).click();
    await page.getByLabel('Title').fill('Short-lived');
    await page.getByLabel('Text', { exact: true }).fill('Not for long.');
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await page.getByRole('button', { name: 'Delete it' }).click();
    await page.waitForURL((to) => to.pathname === '/'); // the post's own page has an article, too
    await page.getByRole('article').first().waitFor();
    assert.equal(await page.getByRole('heading', { name: 'Short-lived' }).count(), 0);
    assert.deepEqual(problems, []);
  });

  test('a refused token is dropped, and reading goes on', async () => {
    const { page } = await open(url, { token: 'x'.repeat(300) });
    await page.goto('/');
    await page.getByRole('article').first().waitFor();
    await page.getByRole('link', { name: 'Sign in' }).waitFor();
    await page.getByText('Your sign-in has ended').waitFor();
  });

  test('a server that is away is told, and asked again', async () => {
    const { page } = await open(url, { token: 'alice' });
    await page.route('**/graphql', (route) => route.abort());
    await page.goto('/');
    await page.getByText('The server can’t be reached').waitFor();
    await page.unroute('**/graphql');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('article').first().waitFor();
  });

  test('an address that is none has a page, and its status', async () => {
    const { page, requests } = await open(url);
    const response = await page.goto('/nothing/here');
    assert.equal(response.status(), 404);
    await page.getByRole('heading', { level: 1, name: 'Nothing here' }).waitFor();
    await accessible(page, 'nothing');
    await page.getByRole('link', { name: 'The newest posts' }).click();
    await page.getByRole('article').first().waitFor();
    assert.deepEqual(requests, ['FeedPage']);
    const plain = await fetch(`${url}/nothing/here`);
    assert.equal(plain.status, 404);
    assert.match(plain.headers.get('content-type'), /^text\/plain/);
  });

  test('works by the keyboard', async () => {
    const post = await write('By keys', 'Alone.');
    const { page } = await open(url, { token: 'alice' });
    await page.goto(`/posts/${post.id}`);
    await page.getByRole('button', { name: /^Like/ }).waitFor();
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Skip to the text');
    await page.getByRole('button', { name: 'Delete', exact: true }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Delete');
  });

  test('each action of a journey by keys keeps the focus, and its outcome is said', async () => {
    const { page, problems } = await open(url);
    await page.goto('/sign-in');
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await page.evaluate(() => {
      globalThis.said = [];
      const listen = () => document.querySelectorAll('[role=status], [role=alert]').forEach((region) => globalThis.said.includes(region.textContent) || globalThis.said.push(region.textContent));
      new MutationObserver(listen).observe(document.body, { childList: true, subtree: true, characterData: true });
    });
    const press = async (locator, key = 'Enter') => {
      await locator.focus();
      await page.keyboard.press(key);
    };
    const button = (name) => page.getByRole('button', { name, exact: true });
    const outcome = async (said, place) => {
      await page.waitForFunction((text) => globalThis.said.some((one) => one.includes(text)), said);
      await page.waitForFunction((selector) => document.activeElement?.matches(selector), place);
    };
    await press(button('Sign in'));
    await outcome('Broadsheet', 'main');
    await press(page.getByRole('link', { name: 'Write', exact: true }));
    await outcome('Write', 'main');
    await page.getByLabel('Title').focus();
    await press(button('Publish'));
    await page.waitForFunction(() => document.activeElement?.matches('[aria-invalid=true]'));
    await page.keyboard.type('By keys alone');
    await page.keyboard.press('Tab');
    await page.getByLabel('Text', { exact: true }).focus();
    await page.keyboard.type('From the first to the last.');
    await press(button('Publish'));
    await outcome('By keys alone', 'main');
    await press(page.getByRole('button', { name: /^Like/ }));
    await page.locator('button.like[aria-pressed=true]:focus').waitFor();
    await page.getByLabel('Your comment').focus();
    await page.keyboard.type('A comment.');
    await press(button('Comment'));
    await outcome('Your comment is there.', 'button[type=submit]');
    const comment = page.locator('.comment');
    await press(comment.getByRole('button', { name: 'Edit' }));
    await page.waitForFunction(() => document.activeElement?.matches('.comment textarea'));
    await press(comment.getByRole('button', { name: 'Cancel' }));
    await page.waitForFunction(() => document.activeElement?.textContent.startsWith('Edit'));
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.matches('.comment textarea'));
    await page.keyboard.press('End');
    await page.keyboard.type(' And more.');
    await press(button('Save'));
    await outcome('Your comment was saved.', '.comment-actions button');
    await press(comment.getByRole('button', { name: 'Delete' }));
    await press(button('Delete it'));
    await outcome('The comment was deleted.', '#comments-title');
    await press(button('Delete'));
    await press(button('Delete it'));
    await outcome('The post was deleted.', 'main');
    await press(page.getByRole('link', { name: 'Write', exact: true }));
    await page.locator('.notice-box').waitFor({ state: 'detached' });
    assert.deepEqual(problems, []);
  });
}
