import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { current, page } from './page.js';

test('docs/clients.md has the files that are run', () => {
  const text = readFileSync(page, 'utf8');
  assert.equal(text, current(text), 'write it anew: npm --prefix clients/guide run page');
});
