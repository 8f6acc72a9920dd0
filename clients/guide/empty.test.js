// What docs/clients.md says leads from an empty folder to a client that runs: its commands and its files alone.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { serve } from '../harness.js';
import { open } from '../web/browser.js';
import { run } from './clients.js';
import { page } from './page.js';

const server = await serve();
const files = new Map([...readFileSync(page, 'utf8').matchAll(/<!-- file: ([\w./-]+) -->\n```\w+\n([\s\S]*?)\n```\n<!-- end -->/g)].map(([, name, text]) => [name, `${text}\n`]));

/** place writes a file of the page, which names the server's schema and address where it says that it may. */
function place(name, at) {
  const text = files.get(name);
  assert.ok(text, `the page lacks ${name}`);
  mkdirSync(path.dirname(at), { recursive: true });
  writeFileSync(at, text.replaceAll('../../../schema.graphqls', at.endsWith('.ts') ? `${server.url}/schema.graphql` : 'schema.graphql').replaceAll('http://127.0.0.1:8080', server.url));
}

async function folder(t) {
  const empty = mkdtempSync(path.join(tmpdir(), 'broadsheet-guide-'));
  t.after(() => rmSync(empty, { recursive: true, force: true }));
  return empty;
}

// What npm tells those that it starts is of this folder, not of a new one.
const env = Object.fromEntries(Object.keys(process.env).filter((name) => /^npm_/i.test(name)).map((name) => [name, undefined]));

/** does runs commands in a folder, one line after the other. */
async function does(commands, at) {
  const { status, output } = await run('bash', ['-ec', commands], { folder: '.', root: at, env });
  assert.equal(status, 0, output);
}

const schema = async (at) => writeFileSync(path.join(at, 'schema.graphql'), await (await fetch(`${server.url}/schema.graphql`)).text());

test('Apollo Client in a new React app', { timeout: 600_000 }, async (t) => {
  const empty = await folder(t);
  await does(files.get('apollo/app/install.sh'), empty);
  const app = path.join(empty, 'blog');
  place('apollo/app/vite.config.ts', path.join(app, 'vite.config.ts'));
  for (const [name, at] of [['apollo/codegen.ts', 'codegen.ts'], ['apollo/client.ts', 'client.ts'], ['apollo/app/App.tsx', 'App.tsx']]) place(name, path.join(app, 'src', at));
  await does('npx graphql-codegen --config codegen.ts', path.join(app, 'src'));
  await does('npm run build', app);

  const dev = spawn(path.join(app, 'node_modules/.bin/vite'), ['--host', 'localhost'], { cwd: app, env: { ...process.env, NO_COLOR: '1' } }); // on a free port
  t.after(() => dev.kill());
  const url = await new Promise((resolve, reject) => {
    let said = '';
    dev.stdout.on('data', (text) => {
      const [, address] = /Local:\s+(http:\S+)\//.exec((said += text)) ?? [];
      if (address) resolve(address);
    });
    dev.on('close', () => reject(new Error(said)));
  });
  const { page, problems } = await open(url);
  await page.goto('/');
  await page.getByRole('article').nth(9).waitFor();
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('article').nth(19).waitFor();
  assert.deepEqual(problems.filter((text) => !/React DevTools|\[vite\]/.test(text)), []);
});

test('a Go module', { timeout: 600_000 }, async (t) => {
  const at = await folder(t);
  await does(files.get('go/install.sh'), at);
  await schema(at);
  for (const name of ['genqlient.yaml', 'operations.graphql', 'client.go']) place(`go/${name}`, path.join(at, name));
  await does('go tool genqlient\ngo vet .', at);
});

test('a Python program', { timeout: 600_000 }, async (t) => {
  const at = await folder(t);
  await does(files.get('python/install.sh'), at);
  await schema(at);
  for (const name of ['pyproject.toml', 'operations.graphql', 'blog.py']) place(`python/${name}`, path.join(at, name));
  await does('.venv/bin/ariadne-codegen', at);
  await does(`.venv/bin/python -c "import asyncio, blog; print(asyncio.run(blog.titles(blog.connect('${server.graphql}', 'alice'), 2)))"`, at);
});
