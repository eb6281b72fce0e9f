import { once } from 'node:events';
import { connect } from 'node:net';
import fastify from 'fastify';
import { expect, it, onTestFinished } from 'vitest';
import { limitPipelining, mountBefore } from '../../src/server/limits.ts';

const REQUEST = 'GET /file HTTP/1.1\r\nHost: localhost\r\n\r\n';
/** More than the operating system takes for a client that reads nothing. */
const LARGE = Buffer.alloc(64 * 1024 * 1024);

/** A server whose handler counts the requests that it is given, and a client that sends some at once. */
async function pipelined(requests: number, content: Buffer | string, isReading: boolean) {
  const server = fastify();
  onTestFinished(() => server.close());
  mountBefore(server, limitPipelining());
  let handled = 0;
  server.get('/file', async (_, reply) => {
    handled += 1;
    return reply.type('text/plain').send(content);
  });
  const { port } = new URL(await server.listen({ host: '127.0.0.1', port: 0 }));
  const client = connect(Number(port), '127.0.0.1');
  onTestFinished(() => void client.destroy());
  client.on('error', () => undefined);
  let received = '';
  if (isReading)
    client.on('data', (chunk) => {
      received += chunk;
    });
  await once(client, 'connect');
  client.write(REQUEST.repeat(requests));
  return { client, handled: () => handled, answers: () => received.split('HTTP/1.1 200').length - 1 };
}

it('LD-06 sixteen pipelined requests of a connection are all answered', async () => {
  const { answers } = await pipelined(16, 'ok', true);
  await expect.poll(answers).toBe(16);
});

it('LD-06 a connection with seventeen pipelined requests is closed', async () => {
  const { client, answers } = await pipelined(17, 'ok', true);
  await once(client, 'close');
  expect(answers()).toBeLessThan(17);
});

it('LD-06 a pipelined request is handled only once the client has taken the answer before it', async () => {
  const { client, handled } = await pipelined(3, LARGE, false);
  await expect.poll(handled).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(handled()).toBe(1);
  client.on('data', () => undefined);
  await expect.poll(handled, { timeout: 20_000 }).toBe(3);
});
