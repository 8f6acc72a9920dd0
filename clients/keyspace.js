// As much of Cassandra's native protocol as removes what a suite made:
// https://github.com/apache/cassandra/blob/trunk/doc/native_protocol_v4.spec
import { once } from 'node:events';
import net from 'node:net';

const startup = 0x01;
const failed = 0x00;
const query = 0x07;
const quorum = 0x0004;

const string = (text) => Buffer.concat([short(text.length), Buffer.from(text)]);
const short = (number) => Buffer.from([number >> 8, number & 0xff]);

function frame(opcode, body) {
  const header = Buffer.from([0x04, 0, 0, 0, opcode, 0, 0, 0, 0]);
  header.writeUInt32BE(body.length, 5);
  return Buffer.concat([header, body]);
}

/**
 * dropKeyspace removes a keyspace.
 *
 * @param {string} host "ip:port"
 * @param {string} keyspace
 */
export async function dropKeyspace(host, keyspace) {
  const colon = host.lastIndexOf(':');
  const socket = net.connect(Number(host.slice(colon + 1)), host.slice(0, colon));
  await once(socket, 'connect');
  const statement = Buffer.from(`DROP KEYSPACE IF EXISTS ${keyspace}`);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(statement.length);
  await ask(socket, frame(startup, Buffer.concat([short(1), string('CQL_VERSION'), string('3.0.0')])));
  await ask(socket, frame(query, Buffer.concat([length, statement, short(quorum), Buffer.from([0])])));
  socket.destroy();
}

/** ask sends a frame and waits for the answer, whose head says whether it is an error. */
async function ask(socket, request) {
  socket.write(request);
  let answer = Buffer.alloc(0);
  while (answer.length < 9 || answer.length < 9 + answer.readUInt32BE(5)) {
    const [part] = await once(socket, 'data');
    answer = Buffer.concat([answer, part]);
  }
  if (answer[4] === failed) throw new Error(`Cassandra: ${answer.subarray(15)}`);
}
