// The clients of this folder, and how each is compiled from the schema.
import { spawn } from 'node:child_process';
import { copyFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));
const tool = (name) => path.join(here, 'node_modules/.bin', name);

/**
 * run runs a command in a client's folder.
 *
 * @returns {Promise<{status: number, output: string}>} its exit code, and what it printed
 */
export function run(command, args, { folder, env = {}, root = here }) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: path.join(root, folder), env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
    child.on('error', reject).on('close', (status) => resolve({ status, output }));
  });
}

const typescript = [
  [tool('graphql-codegen'), '--config', 'codegen.ts'],
  [tool('tsc'), '-p', '.'],
];

/** What compiles each client: commands, or functions of its folder, in order. */
export const clients = {
  apollo: typescript,
  urql: typescript,
  relay: [
    (folder) => copyFileSync(path.join(folder, '../../../schema.graphqls'), path.join(folder, 'schema.graphql')), // relay-compiler reads below its folder
    [tool('relay-compiler')],
    [tool('tsc'), '-p', '.'],
    [tool('babel'), '.', '--out-dir', '.built', '--extensions', '.ts', '--ignore', '.built'],
    (folder) => writeFileSync(path.join(folder, '.built/package.json'), '{ "type": "commonjs" }\n'),
  ],
  go: [
    ['go', 'tool', 'genqlient'],
    ['go', 'vet', '.'],
  ],
  python: [[path.join(here, 'python/.venv/bin/ariadne-codegen')]],
};

/**
 * compile compiles a client.
 *
 * @param {string} root this folder, or a copy of it beside another schema
 * @returns {Promise<{status: number, output: string}>} of the first step that fails, else of the last
 */
export async function compile(name, root = here) {
  let last = { status: 0, output: '' };
  for (const step of clients[name]) {
    if (typeof step === 'function') {
      step(path.join(root, name));
      continue;
    }
    last = await run(step[0], step.slice(1), { folder: name, root });
    if (last.status !== 0) break;
  }
  return last;
}

// npm run build
if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const named = process.argv.slice(2);
  for (const name of named.length ? named : Object.keys(clients)) {
    const { status, output } = await compile(name);
    if (status !== 0) {
      console.error(`${name}:\n${output}`);
      process.exit(1);
    }
  }
}
