// The verdicts that the server is held to are those of the graphql-js that is installed.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { content, file } from './file.js';

test('internal/httpapi/testdata/coercion.json is current', () => {
  assert.equal(readFileSync(file, 'utf8'), content, 'write it anew: npm --prefix clients run coercion');
});

test('verdicts of each kind are among them', () => {
  const kinds = new Set(JSON.parse(content).map(({ verdict }) => verdict));
  assert.deepEqual([...kinds].sort(), ['field', 'ok', 'operation', 'parse', 'validation', 'variables']);
});
