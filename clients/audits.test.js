// The audits of npm's graphql-http: conformance to the GraphQL over HTTP specification.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serverAudits } from 'graphql-http';
import { serve } from './harness.js';

const { graphql } = await serve('--no-demo');
const audits = serverAudits({ url: graphql });

test('there are 61 audits', () => assert.equal(audits.length, 61));

for (const audit of audits) {
  test(`${audit.id} ${audit.name}`, async () => {
    const result = await audit.fn();
    assert.equal(result.status, 'ok', result.reason);
  });
}
