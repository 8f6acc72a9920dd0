// Sign-in by OpenID Connect, at a real provider, in a browser: code flow with PKCE, renewal, and the way out.
import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, afterEach, test } from 'node:test';
import { Provider } from 'oidc-provider';
import { serve } from '../harness.js';
import { asker } from './asker.js';
import { closeAll, known, open } from './browser.js';

const audience = 'broadsheet-api';
const lasts = 25; // seconds, of an access token: it is renewed some seconds after it was given

const listener = createServer((request, response) => answer(request, response));
let answer = (_, response) => response.writeHead(503).end(); // until the app's address is known
listener.listen(0, '127.0.0.1');
await once(listener, 'listening');
after(() => listener.close().closeAllConnections());
const issuer = `http://127.0.0.1:${listener.address().port}`;

const key = { ...generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' }), kid: 'k', use: 'sig', alg: 'RS256' };
const { url, graphql } = await serve('--auth', 'jwt', '--jwt-issuer', issuer, '--jwt-audience', audience, '--jwks-url', `${issuer}/jwks`, '--jwks-refresh', '1s', '--oidc-client-id', 'app');
answer = new Provider(issuer, {
  clients: [
    {
      client_id: 'app',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      redirect_uris: [`${url}/sign-in`],
      post_logout_redirect_uris: [`${url}/`],
    },
  ],
  clientBasedCORS: () => true,
  cookies: { keys: ['signs the tests'] },
  jwks: { keys: [key] },
  scopes: ['openid', 'offline_access', 'profile', 'email'],
  claims: { profile: [], email: [] },
  issueRefreshToken: () => true,
  rotateRefreshToken: true, // one is good once
  features: {
    resourceIndicators: {
      enabled: true,
      defaultResource: () => `urn:${audience}`,
      getResourceServerInfo: () => ({ audience, scope: '', accessTokenFormat: 'jwt', accessTokenTTL: lasts, jwt: { sign: { alg: 'RS256' } } }),
      useGrantedResource: () => true,
    },
  },
}).callback();

const { ask } = asker(graphql);
afterEach(closeAll);

/** visit is open, where the provider's pages ask nobody for their font: on a machine without a resolver each would wait for it. */
async function visit() {
  const { page, context } = await open(url);
  await context.route('https://**', (route) => route.abort());
  return page;
}

/** arrive signs in at the provider, which asks whether the app may know who that is. */
async function arrive(page, name) {
  await page.getByRole('button', { name: 'Sign in at' }).click();
  await page.getByPlaceholder('Enter any login').fill(name);
  await page.getByPlaceholder('and password').fill('any');
  await page.getByRole('button', { name: 'Sign-in' }).click();
  await page.getByRole('button', { name: 'Continue' }).click();
}

const tokenOf = (page) => page.evaluate(() => localStorage.getItem('broadsheet.token'));

test('signs in, is renewed in the middle of a comment, and signs out', async () => {
  const page = await visit();
  await page.goto('/write');
  await page.getByRole('main').getByRole('link', { name: 'Sign in' }).click();
  await arrive(page, 'subject-of-ann');
  await page.getByRole('heading', { name: 'Welcome' }).waitFor();
  await page.getByLabel('Username').fill('ann');
  await page.getByRole('button', { name: 'Create your account' }).click();
  await known(page, 'ann');
  assert.equal(new URL(page.url()).pathname, '/write'); // where she wanted to go

  const input = { title: 'A post', content: 'Its text.' };
  const made = await ask('mutation ($input: CreatePostInput!) { createPost(input: $input) { post { id } userErrors { message } } }', { input }, await tokenOf(page));
  await page.goto(`/posts/${made.createPost.post.id}`);
  await known(page, 'ann');
  const second = await page.context().newPage();
  await second.goto('/');
  await known(second, 'ann');
  await page.getByLabel('Your comment').fill('A long');
  for (let renewals = 0; renewals < 2; renewals++) {
    const before = await tokenOf(page);
    await page.waitForFunction((token) => localStorage.getItem('broadsheet.token') !== token, before, { timeout: 60_000 });
    await page.getByLabel('Your comment').press('End');
    await page.keyboard.type(' and winding');
  }
  assert.equal(await page.getByLabel('Your comment').inputValue(), 'A long and winding and winding');
  await page.getByRole('button', { name: 'Comment', exact: true }).click();
  await page.locator('.comment').getByText('A long and winding and winding').waitFor();
  await known(second, 'ann'); // whose tab took no renewal away

  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Yes, sign me out' }).click();
  await page.waitForURL(`${url}/`);
  await page.getByRole('link', { name: 'Sign in' }).first().waitFor();
  assert.equal(await page.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith('oidc.') || name === 'broadsheet.token').length), 0);
  await second.getByRole('link', { name: 'Sign in' }).first().waitFor();
});

test('a renewal that another tab signs out of signs nobody in again', async () => {
  const page = await visit();
  await page.goto('/sign-in');
  await arrive(page, 'subject-of-ann');
  await known(page, 'ann');
  const second = await page.context().newPage();
  await second.goto('/');
  await known(second, 'ann');
  const answered = await new Promise((resolve) => {
    page.context().route(`${issuer}/token`, async (route) => resolve({ route, response: await route.fetch() }));
  }); // what either tab asked for, before the token ends
  const renews = answered.route.request().frame().page();
  const leaves = renews === page ? second : page;
  await leaves.getByRole('button', { name: 'Sign out' }).click();
  await renews.getByRole('link', { name: 'Sign in' }).first().waitFor();
  await answered.route.fulfill(answered);
  await leaves.getByRole('button', { name: 'Yes, sign me out' }).click();
  await leaves.waitForURL(`${url}/`);
  for (const tab of [page, second]) {
    await tab.evaluate(() => navigator.locks.request('broadsheet.renewal', () => {}));
    await tab.getByRole('link', { name: 'Sign in' }).first().waitFor();
    assert.deepEqual(await tab.evaluate(() => Object.keys(localStorage).filter((name) => name.startsWith('oidc.') || name === 'broadsheet.token')), []);
  }
});

test('who is known already is signed in at once; a refusal, and an answer that is old, are told', async () => {
  const page = await visit();
  await page.goto('/sign-in');
  await arrive(page, 'subject-of-ann');
  await known(page, 'ann');
  await page.goto('/sign-in?error=access_denied&state=forged');
  await page.getByRole('alert').getByText('Signing in did not work').waitFor();
  await page.getByRole('button', { name: 'Sign in at' }).waitFor();
  await page.goto('/sign-in?code=old&state=forged');
  await page.getByRole('alert').getByText('Signing in did not work').waitFor();
});

test('a token that ended while the machine slept is followed by another', async () => {
  const page = await visit();
  await page.goto('/sign-in');
  await arrive(page, 'subject-of-ann');
  await known(page, 'ann');
  const before = await tokenOf(page);
  await page.route(`${url}/graphql`, async (route) => {
    const { authorization } = route.request().headers();
    if (authorization !== `Bearer ${before}`) return route.continue();
    await route.fulfill({ status: 401, contentType: 'application/graphql-response+json', body: JSON.stringify({ errors: [{ message: 'the token has expired', extensions: { code: 'UNAUTHENTICATED' } }] }) });
  });
  await page.getByRole('link', { name: 'Write' }).click();
  await page.getByRole('link', { name: 'ann', exact: true }).click();
  await page.getByRole('heading', { name: 'ann' }).waitFor();
  await page.waitForFunction((token) => localStorage.getItem('broadsheet.token') !== token, before);
  await known(page, 'ann');
});
