import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serve } from '../harness.js';
import { keepsProfile } from './ask.js';
import { run } from './clients.js';

const server = await serve();

test('genqlient: pages, codes, and an edit with unset fields that loses nothing', async () => {
  await keepsProfile(server, async () => {
    const { status, output } = await run('go', ['test', '-count', '1', '.'], { folder: 'go', env: { BROADSHEET_URL: server.graphql } });
    assert.equal(status, 0, output);
  });
});
