// A line between clients and a server that can be cut, as networks do.
import { once } from 'node:events';
import net from 'node:net';
import { after } from 'node:test';

/**
 * lineTo opens a line to a server, and closes it after the tests of a file.
 *
 * @param {{url: string | Promise<string>}} server where connections go that are made from now on; those
 * to one that is a promise wait for it
 * @returns {Promise<{host: string, cut: () => void, down: () => void, up: () => void, stall: () => void}>}
 * the address of its near end; cut closes all connections, in the middle of a message perhaps, and new
 * ones may be made; down closes them, and new ones at once, until up; stall lets nothing through on
 * those that there are, and closes none
 */
export async function lineTo(server) {
  const open = new Set();
  let refuses = false;
  const listener = net.createServer(async (near) => {
    near.on('error', () => {});
    if (refuses) return near.destroy();
    const { hostname, port } = new URL(await server.url);
    if (near.destroyed) return;
    const far = net.connect(Number(port), hostname);
    for (const [from, to] of [[near, far], [far, near]]) {
      open.add(from);
      from.on('error', () => {}).on('close', () => {
        open.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const cut = () => {
    for (const socket of open) socket.destroy(); // resetAndDestroy of one that is being closed keeps Node 20 from ending
  };
  after(() => {
    cut();
    listener.close();
  });
  const down = () => {
    refuses = true;
    cut();
  };
  const up = () => {
    refuses = false;
  };
  const stall = () => {
    for (const socket of open) socket.unpipe().pause();
  };
  return { host: `127.0.0.1:${listener.address().port}`, cut, down, up, stall };
}
