// No word is lost: what a person was writing is there again, whatever became of the page, the token or an answer.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { afterEach, test } from 'node:test';
import { serve } from '../harness.js';
import { asker } from './asker.js';
import { accessible, closeAll, known, open } from './browser.js';

const { url, graphql } = await serve();
const { ask, write, say, joins } = asker(graphql);
afterEach(closeAll);

const text = (page) => page.getByLabel('Text', { exact: true });
const again = (page) => page.getByText('What you had written is here again.');
const operation = (route) => route.request().postDataJSON()?.operationName;
const errors = (code) => ({ status: 200, contentType: 'application/graphql-response+json', body: JSON.stringify({ errors: [{ message: 'no', extensions: { code } }] }) });

/** newPost is a page of alice's with half a post on it. */
async function newPost() {
  const opened = await open(url, { token: 'alice' });
  await opened.page.goto('/write');
  await opened.page.getByLabel('Title').fill('Half');
  await text(opened.page).fill('A thought');
  return opened;
}

for (const [how, leave] of Object.entries({
  'a link and back': async (page) => {
    await page.getByRole('link', { name: 'Broadsheet', exact: true }).click();
    await page.getByRole('article').first().waitFor();
    await page.goBack();
  },
  'a reload': (page) => page.reload(),
  'a sign-out in another tab': async (page, context) => {
    const other = await context.newPage();
    await other.goto('/');
    await other.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('to write a post.').waitFor();
    await page.locator('main').getByRole('link', { name: 'Sign in' }).click();
    await page.getByRole('button', { name: 'Sign in' }).click();
  },
})) {
  test(`a post that is being written outlives ${how}`, async () => {
    const { page, context } = await newPost();
    await leave(page, context);
    await again(page).waitFor();
    assert.deepEqual([await page.getByLabel('Title').inputValue(), await text(page).inputValue()], ['Half', 'A thought']);
    await page.getByRole('button', { name: 'Discard it' }).click();
    assert.equal(await text(page).inputValue(), '');
    await page.reload();
    await page.getByLabel('Title').waitFor();
    assert.equal(await text(page).inputValue(), '');
  });
}

test('edits and comments that were left are there again, until they are sent', async () => {
  const post = await write('Kept', 'Before.');
  await say(post.id, 'Said.', 'alice');
  const { page, problems } = await open(url, { token: 'alice' });
  await page.goto(`/posts/${post.id}`);
  const own = page.locator('.comment');
  const form = page.locator('.comment-form');
  await form.getByLabel('Your comment').fill('Half a comment');
  await own.getByRole('button', { name: 'Edit' }).click();
  await own.getByLabel('Your comment').fill('Half an edit');
  await own.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('link', { name: 'Edit' }).click();
  await text(page).fill('After.');
  await page.getByRole('link', { name: 'Cancel' }).click();
  await form.getByText('here again').waitFor();
  assert.equal(await form.getByLabel('Your comment').inputValue(), 'Half a comment');
  await own.getByRole('button', { name: 'Edit' }).click();
  assert.equal(await own.getByLabel('Your comment').inputValue(), 'Half an edit');
  await own.getByRole('button', { name: 'Save' }).click();
  await own.locator('.comment-text').getByText('Half an edit').waitFor();
  await page.getByRole('link', { name: 'Edit' }).click();
  await again(page).waitFor();
  assert.equal(await text(page).inputValue(), 'After.');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('.prose').getByText('After.').waitFor();
  await page.goto('/settings');
  await page.getByLabel('About you').fill('Half a life');
  await page.getByRole('link', { name: 'Cancel' }).click();
  await page.getByRole('link', { name: 'Edit your name and profile' }).click();
  await again(page).waitFor();
  assert.equal(await page.getByLabel('About you').inputValue(), 'Half a life');
  assert.deepEqual(problems, []);
});

test('drafts are bounded, and are their account’s', async () => {
  const { page, context } = await newPost();
  await page.evaluate(() => {
    for (let number = 0; number < 30; number++) localStorage.setItem(`broadsheet.draft.old.${number}`, '{"at":1,"value":{}}');
  });
  await page.goto(`/posts/${(await write('Bounded', 'Yes.')).id}`);
  await page.getByLabel('Your comment').fill('One more');
  const names = await page.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith('broadsheet.draft.')));
  assert.equal(names.length, 20);
  await page.evaluate(() => localStorage.setItem('broadsheet.token', 'bob'));
  await page.goto('/write');
  await page.getByLabel('Title').waitFor();
  assert.equal(await text(page).inputValue(), '');
  await context.close();
});

for (const [what, begin, send] of [
  ['a post', '/write', async (page) => {
    await page.getByLabel('Title').fill('Ended');
    await text(page).fill('Meanwhile.');
    await page.getByRole('button', { name: 'Publish' }).click();
  }],
  ['a comment', '', async (page) => {
    await page.getByLabel('Your comment').fill('Meanwhile.');
    await page.getByRole('button', { name: 'Comment', exact: true }).click();
  }],
]) {
  test(`a token that ends under ${what} is asked for over the page, and it goes on`, async () => {
    const post = await write('Before the end', 'Of a token.');
    const { page } = await open(url, { token: 'alice' });
    let ended = false;
    await page.route('**/graphql', (route) => (ended ? route.fulfill({ ...errors('UNAUTHENTICATED'), status: 401 }) : route.continue()));
    await page.goto(begin || `/posts/${post.id}`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await known(page, 'alice');
    ended = true;
    await send(page);
    const dialog = page.getByRole('dialog', { name: 'Sign in again' });
    await dialog.waitFor();
    await accessible(page, 'sign in again');
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.getByText('is not accepted').waitFor();
    ended = false;
    await dialog.getByLabel('Name').fill('bob');
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.getByText('is not alice’s').waitFor();
    await dialog.getByLabel('Name').fill('alice');
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.locator('.prose, .comment-text').getByText('Meanwhile.').waitFor();
  });
}

test('a stream that a token’s end takes leaves a comment that is being written', async () => {
  const { id } = await write('A long answer', 'Is wanted.');
  const { page, context } = await open(url, { token: 'alice' });
  const sockets = [];
  let refuse = false;
  await context.routeWebSocket(/\/graphql$/, (browser) => {
    if (refuse) return browser.onMessage(() => browser.close({ code: 4403, reason: 'Forbidden' }));
    sockets.push(browser);
    browser.connectToServer();
  });
  await page.goto(`/posts/${id}`);
  await page.getByLabel('Your comment').fill('A very long answer');
  await page.waitForFunction(() => document.querySelector('.comment-list'));
  while (sockets.length === 0) await page.evaluate(() => new Promise(requestAnimationFrame));
  refuse = true;
  await Promise.all(sockets.map((socket) => socket.close({ code: 4499, reason: 'ends' })));
  const dialog = page.getByRole('dialog', { name: 'Sign in again' });
  await dialog.waitFor();
  assert.equal(await page.locator('textarea').first().inputValue(), 'A very long answer');
  await dialog.getByRole('button', { name: 'Read on without' }).click();
  await page.getByText('to leave a comment.').waitFor();
  await page.getByText('What you wrote is kept').waitFor();
  refuse = false;
  await page.locator('main').getByRole('link', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Sign in' }).click();
  await again(page).waitFor();
  assert.equal(await page.getByLabel('Your comment').inputValue(), 'A very long answer');
});

/** loseAnswer has the server do the next such operation, and its answer not come. */
async function loseAnswer(page, name) {
  let lost = false;
  await page.route('**/graphql', async (route) => {
    if (lost || operation(route) !== name) return route.continue();
    lost = true;
    await route.fetch();
    await route.abort();
  });
}

for (const [then, title] of [['the same', 'Once'], ['a mended text', 'Mended']]) {
  test(`a post whose answer was lost is one post: ${then}`, async () => {
    const { page } = await open(url, { token: 'alice' });
    await loseAnswer(page, 'CreatePost');
    await page.goto('/write');
    await page.getByLabel('Title').fill('Once');
    await text(page).fill(`Only ${then}.`);
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByText('can’t be reached').waitFor();
    if (title !== 'Once') await page.reload(); // it is remembered there, too
    await page.getByLabel('Title').fill(title);
    await page.getByRole('button', { name: 'Publish' }).click();
    await page.getByRole('heading', { level: 1, name: title }).waitFor();
    const { feed } = await ask('{ feed(first: 20) { edges { node { title content } } } }');
    const made = feed.edges.filter(({ node }) => node.content === `Only ${then}.`).map(({ node }) => node.title);
    assert.deepEqual(made, [title]);
  });
}

test('a comment whose answer was lost is one comment, mended', async () => {
  const { id } = await write('To comment on', 'Once.');
  const { page } = await open(url, { token: 'alice' });
  await loseAnswer(page, 'CreateComment');
  await page.goto(`/posts/${id}`);
  await page.getByLabel('Your comment').fill('Frist');
  await page.getByRole('button', { name: 'Comment', exact: true }).click();
  await page.getByText('can’t be reached').waitFor();
  await page.getByLabel('Your comment').fill('First');
  await page.getByRole('button', { name: 'Comment', exact: true }).click();
  await page.locator('.comment-text').getByText('First', { exact: true }).waitFor();
  assert.deepEqual(await page.locator('.comment-text').allTextContents(), ['First']);
  assert.equal(await page.getByLabel('Your comment').inputValue(), '');
});

test('an account whose answer was lost has the name that was chosen last', async () => {
  const { page } = await open(url);
  await loseAnswer(page, 'CreateUser');
  await page.goto('/sign-in');
  await page.getByLabel('Name').fill('lost_answer');
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Create your account' }).click();
  await page.getByText('can’t be reached').waitFor();
  await page.getByLabel('Name to show').fill('Found');
  await page.getByRole('button', { name: 'Create your account' }).click();
  await page.getByRole('link', { name: 'lost_answer' }).waitFor();
  assert.equal((await ask('{ viewer { displayName } }', {}, 'lost_answer')).viewer.displayName, 'Found');
});

test('what was deleted though the answer was lost is deleted', async () => {
  const { id } = await write('To go', 'Soon.');
  const { page } = await open(url, { token: 'alice' });
  await page.goto(`/posts/${id}`);
  await page.getByLabel('Your comment').fill('This first.');
  await page.getByRole('button', { name: 'Comment', exact: true }).click();
  const twice = async (name, press) => {
    await loseAnswer(page, name);
    await press();
    await page.getByText('can’t be reached').waitFor();
    await press();
  };
  await twice('DeleteComment', async () => {
    await page.locator('.comment').getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete it' }).click();
  });
  await page.locator('.comment').waitFor({ state: 'detached' }); // the heading counts none before the answer: it is live
  await page.getByText('can’t be reached').waitFor({ state: 'detached' });
  await twice('DeletePost', async () => {
    await page.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('button', { name: 'Delete it' }).click();
  });
  await page.getByText('The post was deleted.').waitFor();

  await joins('lost_leaver');
  const leaving = await open(url, { token: 'lost_leaver' });
  await loseAnswer(leaving.page, 'DeleteAccount');
  await leaving.page.goto('/settings');
  await leaving.page.getByRole('button', { name: 'Delete your account' }).click();
  await leaving.page.getByRole('dialog').getByLabel('Username').fill('lost_leaver');
  await leaving.page.getByRole('button', { name: 'Delete it for good' }).click();
  await leaving.page.getByText('can’t be reached').waitFor();
  await leaving.page.getByRole('button', { name: 'Delete it for good' }).click();
  await leaving.page.getByText('Your account was deleted.').waitFor();
});

test('an edit whose answer was lost is no conflict with itself', async () => {
  const { id } = await write('Edited', 'Before.');
  const { page } = await open(url, { token: 'alice' });
  await loseAnswer(page, 'UpdatePost');
  await page.goto(`/posts/${id}/edit`);
  await text(page).fill('After.');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('can’t be reached').waitFor();
  await text(page).fill('After all.');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('.prose').getByText('After all.').waitFor();
});

for (const [choice, result] of [['Go on with yours', 'Mine.'], ['Go on with theirs', 'Theirs.']]) {
  test(`two edits of a comment: ${choice}`, async () => {
    const post = await write('Comments', 'Contested.');
    const { id } = await say(post.id, 'Ours.', 'alice');
    const { page } = await open(url, { token: 'alice' });
    await page.goto(`/posts/${post.id}`);
    const own = page.locator('.comment');
    await own.getByRole('button', { name: 'Edit' }).click();
    await own.getByLabel('Your comment').fill('Mine.');
    await ask('mutation ($input: UpdateCommentInput!) { updateComment(input: $input) { userErrors { message } } }', { input: { id, content: 'Theirs.' } }, 'alice');
    await own.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'This comment was changed while you were editing' }).waitFor();
    await accessible(page, 'the conflict');
    await page.getByRole('button', { name: choice }).click();
    await own.getByRole('button', { name: 'Save' }).click();
    await page.locator('.comment-text').getByText(result).waitFor();
  });

  test(`two edits of a profile: ${choice}`, async () => {
    const subject = choice === 'Go on with yours' ? 'two_edits' : 'two_edits_more';
    await ask(`mutation { createUser(input: {username: "${subject}"}) { userErrors { message } } }`, {}, subject);
    const { page } = await open(url, { token: subject });
    await page.goto('/settings');
    await page.getByLabel('About you').fill('Mine.');
    await ask('mutation { updateUser(input: {bio: "Theirs.", email: "kept@example.org"}) { userErrors { message } } }', {}, subject);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'This profile was changed while you were editing' }).waitFor();
    await page.getByRole('button', { name: choice }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('.bio').getByText(result).waitFor();
  });
}

test('a post that is deleted while it is read says so', async () => {
  const { id } = await write('Soon gone', 'Very soon.');
  const { page } = await open(url, { token: 'bob' });
  await page.goto(`/posts/${id}`);
  await page.getByRole('heading', { level: 1, name: 'Soon gone' }).waitFor();
  await known(page, 'bob');
  await ask('mutation ($id: ID!) { deletePost(input: {id: $id}) { deletedId userErrors { message } } }', { id }, 'alice');
  await page.getByText('This post was deleted while you were reading.').waitFor();
  await page.getByRole('button', { name: /^Like/ }).click();
  await page.getByRole('alert').getByText('The post was deleted meanwhile.').waitFor();
});

const schema = await readFile(new URL('../../schema.graphqls', import.meta.url), 'utf8');
const codes = /enum UserErrorCode \{([^}]*)\}/.exec(schema)[1].match(/^ +[A-Z_]+$/gm).map((code) => code.trim());
const press = (name) => (page) => page.getByRole('button', { name, exact: true }).first().click();
const confirmed = (within) => async (page) => {
  await page.locator(within).getByRole('button', { name: /^Delete/ }).click();
  await page.getByRole('button', { name: 'Delete it' }).click();
};

test('every refusal of every mutation is a sentence, without an argument’s name', { timeout: 300_000 }, async () => {
  const { id } = await write('To refuse', 'All.');
  await say(id, 'Said.', 'alice');
  const post = `/posts/${id}`;
  const deeds = {
    CreatePost: ['/write', async () => {}, press('Publish')],
    UpdatePost: [`${post}/edit`, (page) => text(page).fill('Other.'), press('Save')],
    DeletePost: [post, async () => {}, confirmed('.owner-actions')],
    CreateComment: [post, (page) => page.getByLabel('Your comment').fill('Said.'), press('Comment')],
    UpdateComment: [post, (page) => page.locator('.comment').getByRole('button', { name: 'Edit' }).click(), press('Save')],
    DeleteComment: [post, async () => {}, confirmed('.comment')],
    Like: [post, async () => {}, (page) => page.locator('button.like').click(), 'likePost'],
    Follow: ['/users/bob', async () => {}, (page) => page.locator('button.follow').click(), 'followUser'],
    UpdateUser: ['/settings', (page) => page.getByLabel('About you').fill('Other.'), press('Save')],
  };
  for (const [name, [address, begin, send, field = name[0].toLowerCase() + name.slice(1)]] of Object.entries(deeds)) {
    const { page } = await open(url, { token: 'alice' });
    let code;
    await page.route('**/graphql', (route) => {
      if (operation(route) !== name) return route.continue();
      const refused = { __typename: 'X', userErrors: [{ __typename: 'UserError', code, message: `postId ${code}`, field: ['expectedVersion'] }], post: null, comment: null, user: null, deletedId: null };
      return route.fulfill({ json: { data: { [field]: refused } } });
    });
    await page.goto(address);
    await page.getByRole('heading', { level: 1 }).waitFor();
    await begin(page);
    for (code of codes) {
      if (code === 'VERSION_CONFLICT' && name.startsWith('Update')) continue; // it has a page
      if (code === 'NOT_FOUND' && name.startsWith('Delete')) continue; // then it is done
      const said = page.locator('.mistake, .notice-box p');
      const before = await said.allTextContents();
      await send(page);
      await page.waitForFunction((before) => {
        const now = [...document.querySelectorAll('.mistake, .notice-box p')].map(({ textContent }) => textContent);
        return now.length > 0 && JSON.stringify(now) !== before;
      }, JSON.stringify(before));
      const [sentence] = await said.allTextContents();
      assert.match(sentence, /^[A-Z].*\.$/, `${name}, ${code}`);
      assert.doesNotMatch(sentence, /[a-z][A-Z]|_|undefined|version/, `${name}, ${code}`);
    }
    await closeAll();
  }
});
