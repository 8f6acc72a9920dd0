// docs/clients.md has the files of this folder, and the table of errors, as they are.
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { errors, table, userErrors } from './errors.js';

const here = fileURLToPath(new URL('.', import.meta.url));
export const page = path.join(here, '../../docs/clients.md');

const tables = { errors: table(errors), userErrors: table(userErrors) };
const block = /(<!-- (file|table): ([\w./-]+) -->\n)(?:[\s\S]*?\n)??(<!-- end -->)/g;

/** current returns the page with what it includes as it is now. */
export const current = (text) => text.replace(block, (_, begin, kind, name, end) => begin + (kind === 'file' ? fenced(name) : tables[name]) + '\n' + end);

function fenced(name) {
  const language = { '.ts': 'ts', '.go': 'go', '.py': 'python', '.graphql': 'graphql', '.yaml': 'yaml', '.toml': 'toml', '.json': 'json', '.tsx': 'tsx', '.sh': 'sh' }[path.extname(name)];
  return `\`\`\`${language}\n${readFileSync(path.join(here, name), 'utf8').trimEnd()}\n\`\`\``;
}

// npm run page
if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(page, current(readFileSync(page, 'utf8')));
