import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import fastify from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { mountBefore } from '../../src/server/limits.ts';
import { slowRefusedBodies } from '../../src/server/refused-bodies.ts';

/** More than the buffers of both sockets hold. */
const BODY_BYTES = 32 * 1024 * 1024;

/** A server that answers 429 before it reads a body, and a client that sends one and a second request behind it. */
async function refused(pauseMs: number, head: string, body: Buffer) {
  const server = fastify();
  onTestFinished(() => server.close());
  mountBefore(server, slowRefusedBodies({ pauseMs }));
  const sockets: Socket[] = [];
  server.server.on('connection', (socket) => sockets.push(socket));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy(); // one that is not read does not notice that its client is gone
  });
  server.addHook('onRequest', async (_, reply) => reply.status(429).send('later'));
  server.post('/file', async () => 'read');
  const { port } = new URL(await server.listen({ host: '127.0.0.1', port: 0 }));
  const client = connect(Number(port), '127.0.0.1');
  onTestFinished(() => void client.destroy());
  client.on('error', () => undefined);
  let received = '';
  client.on('data', (chunk) => {
    received += chunk;
  });
  await once(client, 'connect');
  client.write(`POST /file HTTP/1.1\r\nHost: localhost\r\n${head}\r\n\r\n`);
  client.write(body);
  client.write('POST /file HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n');
  return { answers: () => received.split('HTTP/1.1 429').length - 1, bytesRead: () => sockets[0]?.bytesRead ?? 0 };
}

const withLength = (bytes: number) => `Content-Length: ${bytes}`;
const chunked = Buffer.concat([Buffer.from(`${BODY_BYTES.toString(16)}\r\n`), Buffer.alloc(BODY_BYTES), Buffer.from('\r\n0\r\n\r\n')]);

it.each([
  ['of a given length', withLength(BODY_BYTES), Buffer.alloc(BODY_BYTES)],
  ['in chunks', 'Transfer-Encoding: chunked', chunked],
])('the body %s of a refused request is left unread while the server pauses', async (_, head, body) => {
  const { answers, bytesRead } = await refused(3_600_000, head, body);
  await expect.poll(answers).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(bytesRead()).toBeLessThan(2 * 1024 * 1024);
});

it.each([
  ['long', BODY_BYTES, 0],
  ['short', 1_000, 3_600_000],
])('the request behind a refused one with a %s body is answered on the same connection', async (_, bytes, pauseMs) => {
  const { answers, bytesRead } = await refused(pauseMs, withLength(bytes), Buffer.alloc(bytes));
  await expect.poll(answers, { timeout: 20_000 }).toBe(2);
  expect(bytesRead()).toBeGreaterThan(bytes);
});
