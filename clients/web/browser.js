// A browser for the tests of the app: Debian's Chromium, or the one that CHROMIUM names.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';
import { after } from 'node:test';
import { chromium } from 'playwright-core';

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
  args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
});
after(() => browser.close());

const contexts = new Set();
const opened = []; // by the test that runs

/** closeAll ends what a test opened: a page that is left goes on following its streams. Of a failed one it prints what was seen. */
export async function closeAll(test) {
  if (test?.passed === false) for (const { page, ...seen } of opened) console.log(page.url(), seen, await page.locator('body').innerText().catch(String));
  opened.length = 0;
  await Promise.all([...contexts].map((context) => context.close()));
  contexts.clear();
}

/**
 * open opens a page of its own, as a reader's browser. Its problems are what a person
 * would find in the console: errors, violations of the policy, requests of other hosts.
 */
export async function open(url, { token, ...options } = {}) {
  const context = await browser.newContext({ baseURL: url, ...options });
  contexts.add(context);
  if (token) await context.addInitScript((value) => localStorage.getItem('broadsheet.token') ?? localStorage.setItem('broadsheet.token', value), token);
  const page = await context.newPage();
  const problems = [];
  const requests = []; // the names of GraphQL operations
  const answers = []; // and when each was answered, in milliseconds
  page.on('pageerror', (error) => problems.push(error.message));
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && problems.push(message.text()));
  page.on('request', (request) => {
    if (new URL(request.url()).origin !== url) problems.push(`a request of ${request.url()}`);
    if (request.url() === `${url}/graphql`) requests.push(request.postDataJSON().operationName);
  });
  const began = Date.now();
  page.on('response', (response) => answers.push(`${Date.now() - began} ${response.status()} ${response.request().method()} ${response.url()} ${response.request().postDataJSON()?.operationName ?? ''}`));
  opened.push({ page, problems, requests, answers });
  return { context, page, problems, requests };
}

/** known waits until the page knows who is signed in: before, it shows what a stranger sees. */
export async function known(page, name) {
  await page.locator('header .self').getByText(name, { exact: true }).waitFor();
}

/**
 * accessible fails where axe finds something that is serious or critical. It is evaluated, as the
 * developer tools do: a script that a page adds would be refused by the policy.
 */
export async function accessible(page, what) {
  await page.evaluate(await axeSource);
  const { violations } = await page.evaluate(() =>
    globalThis.axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'] }),
  );
  const found = violations
    .filter(({ impact }) => ['serious', 'critical'].includes(impact))
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join('\n')}`);
  assert.deepEqual(found, [], what);
}

const axeSource = import('node:fs/promises').then(({ readFile }) => readFile(axe, 'utf8'));
