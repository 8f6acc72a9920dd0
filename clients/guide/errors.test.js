import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { buildSchema } from 'graphql';
import { serve } from '../harness.js';
import { asker } from './ask.js';
import { errors, userErrors } from './errors.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const plain = await serve();
const { user } = await asker(plain)('{ user(username: "bob") { id } }');

const serverOf = (flags) => (flags ? serve('--no-demo', ...flags.map((flag) => (flag.includes('/') ? path.join(here, flag) : flag))) : plain);

async function give({ query, body, token }, { graphql }) {
  const response = await fetch(graphql, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: body ?? JSON.stringify({ query: query.replace('USER_ID', user.id) }),
  });
  return response.json();
}

for (const meeting of errors.filter(({ query, body }) => query || body)) {
  test(`${meeting.code}: ${meeting.when}`, async () => {
    const server = await serverOf(meeting.flags);
    let answer;
    for (let asked = 0; asked === 0 || (meeting.often && asked < 20 && !answer.errors); asked++) answer = await give(meeting, server);
    assert.equal(answer.errors?.[0].extensions.code, meeting.code, JSON.stringify(answer));
  });
}

for (const meeting of userErrors.filter(({ query }) => query)) {
  test(`userErrors ${meeting.code}: ${meeting.when}`, async () => {
    const { data } = await give(meeting, plain);
    const [payload] = Object.values(data);
    assert.deepEqual(payload.userErrors.map(({ code }) => code), [meeting.code]);
  });
}

test('every code of userErrors is in the table', () => {
  const schema = buildSchema(readFileSync(path.join(here, '../../schema.graphqls'), 'utf8'));
  const codes = schema.getType('UserErrorCode').getValues().map(({ name }) => name);
  assert.deepEqual(userErrors.map(({ code }) => code).sort(), codes.sort());
});
