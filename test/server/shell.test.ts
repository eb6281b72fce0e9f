import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';

const ORIGIN = 'https://app.customer.example';

let app: TestApp;
let port: number;
beforeAll(async () => {
  app = await testApp({ listsTried: false, env: { QUIPU_ALLOWED_ORIGINS: ORIGIN, QUIPU_MAX_CONNECTIONS: '10' } });
  port = Number(new URL(await app.server.listen({ host: '127.0.0.1', port: 0 })).port);
});
afterAll(() => app.close());

/** Opens a TCP connection and sends text. `closed` resolves to everything received. */
async function open(text: string) {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let received = '';
  socket.on('data', (chunk) => {
    received += chunk;
  });
  socket.on('error', () => undefined);
  const closed = new Promise<string>((resolve) => socket.once('close', () => resolve(received)));
  await once(socket, 'connect');
  socket.write(text);
  return { socket, closed };
}

const headOf = (more: string): string => `GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${more}\r\n`;

describe('headers for browsers', () => {
  it('allow answers to load nothing', async () => {
    const answer = await app.server.inject('/healthz');
    expect(answer.headers).toMatchObject({
      'content-security-policy': "default-src 'none';base-uri 'none';form-action 'none';frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
      'referrer-policy': 'no-referrer',
    });
  });

  it('allow cross-origin calls from configured origins only', async () => {
    const preflight = (origin: string) =>
      app.server.inject({
        method: 'OPTIONS',
        url: '/v1/kyb',
        headers: { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'x-api-key,content-type' },
      });
    expect((await preflight(ORIGIN)).headers).toMatchObject({
      'access-control-allow-origin': ORIGIN,
      'access-control-allow-headers': 'x-api-key,content-type',
    });
    expect((await preflight('https://elsewhere.example')).headers).not.toHaveProperty('access-control-allow-origin');
    const answer = await app.server.inject({ url: '/healthz', headers: { origin: ORIGIN } });
    expect(answer.headers['access-control-expose-headers']).toMatch(/ratelimit.*retry-after|retry-after.*ratelimit/);
  });

  it.each(['/v1/kyb', '/graphql'])('answer the preflight of another origin on %s with a sentence that names the setting', async (url) => {
    const headers = { origin: 'https://elsewhere.example', 'access-control-request-method': 'POST' };
    const answer = await app.server.inject({ method: 'OPTIONS', url, headers });
    expect(answer.statusCode).toBe(403);
    const { detail, errors } = answer.json();
    expect(detail ?? errors[0].message).toBe(
      'Web pages of this origin may not call the service. Its operator can add the origin to QUIPU_ALLOWED_ORIGINS.',
    );
    expect(answer.headers).not.toHaveProperty('access-control-allow-origin');
  });

  it('allow localhost on every port in the sandbox', async () => {
    const preflight = async (origin: string) => {
      const headers = { origin, 'access-control-request-method': 'POST' };
      const answer = await app.server.inject({ method: 'OPTIONS', url: '/v1/kyb', headers });
      return [answer.statusCode, answer.headers['access-control-allow-origin']];
    };
    expect(await preflight('http://localhost:5173')).toEqual([204, 'http://localhost:5173']);
    expect(await preflight('http://localhost')).toEqual([204, 'http://localhost']);
    expect(await preflight('http://localhost:5173.evil.example')).toEqual([403, undefined]);
  });
});

describe('LD-06 limits of clients', () => {
  it('LD-06 accept headers of 16 KiB at most', async () => {
    expect(await (await open(headOf(`x-filler: ${'x'.repeat(15_000)}\r\n`))).closed).toMatch(/^HTTP\/1\.1 200/);
    expect(await (await open(headOf(`x-filler: ${'x'.repeat(16_400)}\r\n`))).closed).toMatch(/^HTTP\/1\.1 431/);
  });

  it('LD-06 close excess connections unanswered, and accept new ones once others have closed', async () => {
    const held = await Promise.all(Array.from({ length: 10 }, () => open('GET')));
    expect(await (await open(headOf(''))).closed).toBe('');
    for (const { socket } of held) socket.destroy();
    await expect.poll(async () => (await open(headOf(''))).closed).toMatch(/^HTTP\/1\.1 200/);
  });
});

describe('SC-05 a draining process', () => {
  it('SC-05 is not ready at once, and answers requests with Connection: close', async () => {
    app.server.startDraining();
    const ready = await app.server.inject('/readyz');
    expect([ready.statusCode, ready.json().checks.running]).toEqual([503, false]);
    const answer = await app.server.inject('/healthz');
    expect([answer.statusCode, answer.headers.connection]).toEqual([200, 'close']);
  });
});
