import { once } from 'node:events';
import net from 'node:net';
import { expect, it } from 'vitest';
import { testApp } from '../support/app.ts';
import { listening } from './sockets/support.ts';

async function connected(host: string): Promise<net.Socket> {
  const [name, port] = host.split(':');
  const socket = net.connect(Number(port), name);
  socket.on('error', () => undefined);
  await once(socket, 'connect');
  return socket;
}

it('the server closes although a client keeps a connection open on which it has sent nothing', async () => {
  const app = await testApp({ listsTried: false });
  const socket = await connected(await listening(app));
  const ended = once(socket, 'close');
  await app.close();
  await ended;
});

it('a closing server answers a request on a connection that was opened before', async () => {
  const app = await testApp({ listsTried: false });
  const socket = await connected(await listening(app));
  const closing = app.close();
  const answer = once(socket, 'data');
  socket.write('GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n');
  expect(String((await answer)[0])).toMatch(/^HTTP\/1\.1 (?:200|503) /);
  await closing;
});
