// What every suite of this folder starts from: the real server, on a free port, with the
// embedded store in a directory of its own, or a keyspace of its own.
import { execFile, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after } from 'node:test';
import { promisify } from 'node:util';
import { dropKeyspace } from './keyspace.js';

/** How long a start and a stop may take on a busy machine, in milliseconds: on Cassandra a start makes each table. */
const soon = process.env.CASSANDRA_HOSTS ? 300_000 : 60_000;

/** What was begun for the tests of a file ends after them, the last first. */
const ends = [];
after(async () => {
  for (const end of ends.toReversed()) await end();
});

/**
 * serve starts a server for the tests of a file, and stops it after them.
 *
 * @param {...string} flags of `broadsheet serve`, beside those for the address and the store
 * @returns {Promise<{url: string, graphql: string}>} its address, and that of its API
 */
export async function serve(...flags) {
  return serveFrom(await newDirectory(), ...flags);
}

/** newDirectory makes a directory for the tests of a file, and removes it after them. */
export async function newDirectory() {
  const directory = await mkdtemp(path.join(tmpdir(), 'broadsheet-clients-'));
  ends.push(() => rm(directory, { recursive: true }));
  return directory;
}

/**
 * serveFrom starts a server whose data are in a directory, one at a time.
 *
 * @returns {Promise<{url: string, graphql: string, stop: () => Promise<void>, operate: (...command: string[]) => Promise<object>}>} stop has it drain, and is
 * called after the tests at the latest
 */
export async function serveFrom(directory, ...flags) {
  const program = process.env.BROADSHEET_PROGRAM;
  if (!program) throw new Error('start these tests by `make test-clients`: it builds the server');
  const server = spawn(
    program,
    ['serve', '--listen', '127.0.0.1:0', '--data-dir', path.join(directory, 'data'), ...flags],
    { cwd: directory, env: environment(), stdio: ['ignore', 'pipe', 'pipe'] },
  );
  process.on('exit', () => server.kill()); // where a suite ends before its tests begin
  const ended = once(server, 'close');
  const log = collect(server.stderr);
  const end = () => stop(server, ended, log);
  ends.push(end);
  const url = await ready(server, ended, log);
  const run = promisify(execFile);
  /** operate runs a command of the program beside the server, on its store: its own, or that which flags name. */
  const operate = (...command) => run(program, [...command, ...storeFlags(directory, flags)], { cwd: directory, env: environment() });
  return { url, graphql: `${url}/graphql`, stop: end, operate };
}

function storeFlags(directory, flags) {
  const on = flags.indexOf('--store');
  return on < 0 ? ['--data-dir', path.join(directory, 'data')] : flags.slice(on, on + 6);
}

const cassandra = process.env.CASSANDRA_HOSTS;

/** What a suite that is about both stores runs on: Cassandra, too, where CASSANDRA_HOSTS names one. */
export const stores = cassandra ? ['embedded', 'cassandra'] : ['embedded'];

/** serveOn is serve on one of the stores, with the demo in it. */
export async function serveOn(store, ...flags) {
  if (store === 'embedded') return serve(...flags);
  const keyspace = `clients_${randomBytes(6).toString('hex')}`;
  const server = await serve('--store', store, '--cassandra-hosts', cassandra, '--cassandra-keyspace', keyspace, '--migrate', '--demo', ...flags);
  after(() => dropKeyspace(cassandra.split(',')[0], keyspace));
  return server;
}

/** The program's own variables are not the tests' business. */
function environment() {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith('BROADSHEET_')));
}

function collect(stream) {
  const log = { text: '' };
  stream.setEncoding('utf8').on('data', (text) => (log.text += text));
  return log;
}

/** ready returns the server's address once the server says that it answers. */
async function ready(server, ended, log) {
  const output = collect(server.stdout);
  const said = new Promise((resolve) => {
    server.stdout.on('data', () => {
      const found = /GraphQL\s+(http:\S+)\/graphql/.exec(output.text);
      if (found) resolve(found[1]);
    });
  });
  const exited = ended.then(([code]) => {
    throw new Error(`the server ended with ${code}:\n${log.text}`);
  });
  exited.catch(() => {}); // that of a stop is no error
  return Promise.race([said, exited, late('the server was not ready', log)]);
}

/** stop ends this server and no other, and wants it to end well. */
async function stop(server, ended, log) {
  if (server.exitCode === null && server.signalCode === null) server.kill('SIGTERM');
  const [code, signal] = await Promise.race([ended, late('the server did not stop', log)]);
  if (code !== 0) throw new Error(`the server ended with ${code ?? signal}:\n${log.text}`);
}

function late(what, log) {
  return new Promise((_, reject) => {
    setTimeout(() => reject(new Error(`${what} within ${soon} ms:\n${log.text}`)), soon).unref();
  });
}
