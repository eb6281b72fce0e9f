import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../support/app.ts';
import { listening, openSocket, rawSocket } from './sockets/support.ts';

let app: TestApp;
let host: string;
beforeAll(async () => {
  app = await testApp({ listsTried: false });
  host = await listening(app);
});
afterAll(() => app.close());

describe('a page of the same host on another port', () => {
  const origins = ['http://127.0.0.1', 'http://127.0.0.1:1'];

  it('opens no socket, unlike one on the port of the service', async () => {
    for (const origin of origins)
      expect(await rawSocket(host, { origin }).closed).toEqual({ code: 4403, reason: 'origin not in QUIPU_ALLOWED_ORIGINS' });
    await openSocket(host, app.key, { origin: `http://${host}` });
  });

  it('sends nothing to the endpoint of agents, unlike one on the port of the service', async () => {
    const send = async (origin: string): Promise<number> => {
      const payload = { jsonrpc: '2.0', id: 1, method: 'ping' };
      const headers = { 'x-api-key': app.key, host, origin };
      return (await app.server.inject({ method: 'POST', url: '/mcp', headers, payload })).statusCode;
    };
    for (const origin of origins) expect(await send(origin)).toBe(403);
    expect(await send(`http://${host}`)).toBe(200);
  });
});
