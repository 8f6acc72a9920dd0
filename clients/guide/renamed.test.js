// A field that is renamed in the schema ends the build of each client: none finds out when it runs.
import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { clients, compile } from './clients.js';

const here = fileURLToPath(new URL('.', import.meta.url));
const copy = mkdtempSync(path.join(tmpdir(), 'broadsheet-renamed-'));
after(() => rmSync(copy, { recursive: true }));

const root = path.join(copy, 'clients/guide');
const made = ['node_modules', '.venv', 'gql', 'built', '.built', '__generated__', 'blog_client', 'generated.go'];
cpSync(here, root, { recursive: true, filter: (name) => !made.includes(path.basename(name)) });
mkdirSync(root, { recursive: true });
symlinkSync(path.join(here, 'node_modules'), path.join(root, 'node_modules'));

const schema = readFileSync(path.join(here, '../../schema.graphqls'), 'utf8');

const field = '  username: String!\n\n  "A name to show, 1 to 100 code points, not unique.';
assert.ok(schema.includes(field));
writeFileSync(path.join(copy, 'schema.graphqls'), schema.replace(field, field.replace('username', 'handle')));

for (const client of Object.keys(clients)) {
  test(`${client}: User.username is renamed`, async () => {
    const { status, output } = await compile(client, root);
    assert.notEqual(status, 0);
    assert.match(output, /username/);
  });
}
