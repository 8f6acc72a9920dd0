// Builds the server once and runs the suites against it, all, or those whose files are
// named: npm test -- audits.test.js
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const here = path.dirname(fileURLToPath(import.meta.url));

/** suites returns every test file below a folder, but for those of packages. */
function suites(folder) {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const name = path.join(folder, entry.name);
    if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : suites(name);
    return name.endsWith('.test.js') ? [name] : [];
  });
}

function run(command, args, env = process.env) {
  const { status, error } = spawnSync(command, args, { cwd: here, env, stdio: 'inherit' });
  if (error) console.error(`${command}: ${error.message}`);
  return status ?? 1;
}

const directory = mkdtempSync(path.join(tmpdir(), 'broadsheet-program-'));
const program = path.join(directory, 'broadsheet');
process.exitCode = run('go', ['build', '-C', '..', '-o', program, '.']);
if (process.exitCode === 0) {
  const named = process.argv.slice(2);
  // Suites wait for browsers and servers more than they compute.
  process.exitCode = run(process.execPath, ['--test', `--test-concurrency=${1 + availableParallelism()}`, ...(named.length ? named : suites(here))], {
    ...process.env,
    BROADSHEET_PROGRAM: program,
  });
}
rmSync(directory, { recursive: true });
