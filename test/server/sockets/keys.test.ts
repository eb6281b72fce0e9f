import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type TestApp, testApp } from '../../support/app.ts';
import { until } from '../../support/until.ts';
import { CHANGES, follow, listening, openSocket, rawSocket, replicaOf, subscribe, subscriberCount } from './support.ts';

let app: TestApp;
let host: string;
const clock = { shift: 0 };
beforeAll(async () => {
  app = await testApp({ listsTried: false, now: () => Date.now() + clock.shift, env: { QUIPU_ALLOWED_ORIGINS: 'https://app.example' } });
  host = await listening(app);
});
afterAll(() => app.close());

/** Sends a payload in connection_init; returns code and reason of the close. */
async function closedAfterInit(payload: unknown, options = {}) {
  const socket = rawSocket(host, options);
  await socket.opened;
  socket.send({ type: 'connection_init', payload });
  return socket.closed;
}

describe('SB-02 keys of sockets', () => {
  it.each([
    ['no key', undefined, 'MISSING_API_KEY'],
    ['an empty key', { key: '' }, 'MISSING_API_KEY'],
    ['a key that is no text', { key: { toString: 1 } }, 'MISSING_API_KEY'],
    ['an unknown key', { key: 'sk_unknown' }, 'INVALID_API_KEY'],
  ])('closes with 4403 on %s', async (_, payload, reason) => {
    expect(await closedAfterInit(payload)).toEqual({ code: 4403, reason });
  });

  it.each(['X-API-Key', 'x-api-key', 'apiKey', 'key'])('accepts the key in the payload as %s', async (name) => {
    const socket = rawSocket(host);
    await socket.opened;
    socket.send({ type: 'connection_init', payload: { [name]: app.key } });
    expect(await socket.received()).toEqual({ type: 'connection_ack' });
  });

  it('accepts the key in the X-API-Key header, and refuses one in the URL', async () => {
    const socket = rawSocket(host, { headers: { 'X-API-Key': app.key } });
    await socket.opened;
    socket.send({ type: 'connection_init' });
    expect(await socket.received()).toEqual({ type: 'connection_ack' });
    const status = await new Promise((resolve) => {
      rawSocket(host, { path: `/graphql?apiKey=${app.key}` }).ws.on('unexpected-response', (_, { statusCode }) => resolve(statusCode));
    });
    expect(status).toBe(403);
  });

  it('closes with 4403 for foreign origins, and serves its own and configured ones', async () => {
    for (const origin of ['https://evil.example', 'null', `http://${host}.evil.example`, 'http://localhost.evil.example:5173'])
      expect(await rawSocket(host, { origin }).closed).toEqual({ code: 4403, reason: 'origin not in QUIPU_ALLOWED_ORIGINS' });
    for (const origin of ['https://app.example', `http://${host}`, 'http://localhost:5173']) await openSocket(host, app.key, { origin });
  });

  it('closes with 4403 on a subscription whose module the key lacks; a query is answered beside an error', async () => {
    const socket = await openSocket(host, await app.keyFor('kyb'));
    socket.send(subscribe('q', '{ changes { nodes { id } } }'));
    expect((await socket.received()).payload).toMatchObject({
      data: { changes: null },
      errors: [{ extensions: { code: 'MODULE_NOT_ENABLED' } }],
    });
    socket.send(subscribe('s'));
    expect(await socket.closed).toEqual({ code: 4403, reason: 'MODULE_NOT_ENABLED' });
  });

  it('closes the sockets of a revoked key on every replica, and no others', async () => {
    const hosts = [host, await listening(await replicaOf(app))];
    const revoked = await Promise.all(Array.from({ length: 5 }, () => app.keys.create({ name: 'revoked', modules: ['monitor'] })));
    const theirs = await Promise.all(
      revoked.flatMap(({ key }) => hosts.flatMap((at) => Array.from({ length: 10 }, () => openSocket(at, key)))),
    );
    const ours = await Promise.all(hosts.map((at) => openSocket(at, app.key)));
    for (const socket of theirs) socket.send(subscribe('1'));
    await Promise.all(revoked.map(({ id }) => app.keys.revoke(id)));
    const codes = await Promise.all(theirs.map(async ({ closed }) => (await closed).code));
    expect(new Set(codes)).toEqual(new Set([4403]));
    expect(ours.every(({ ws }) => ws.readyState === ws.OPEN)).toBe(true);
    await until(() => subscriberCount(app) === 0);
    expect(app.server.connectionCounts().operations).toBe(0);
  });

  it('closes with 4403 when a key expires, and when it loses the module of a subscription', async () => {
    const expiring = await app.keys.create({ name: 'expiring', modules: ['monitor'], expiresAt: Date.now() + 3_600_000 });
    const losing = await app.keys.create({ name: 'losing', modules: ['monitor', 'kyb'] });
    const sockets = await Promise.all([openSocket(host, expiring.key), openSocket(host, losing.key), openSocket(host, losing.key)]);
    for (const socket of sockets.slice(0, 2)) await follow(app, socket);
    await app.keys.update(losing.id, { modules: ['kyb'] });
    expect(await sockets[1]?.closed).toEqual({ code: 4403, reason: 'MODULE_NOT_ENABLED' });
    expect(sockets[2]?.ws.readyState).toBe(sockets[2]?.ws.OPEN);
    clock.shift = 3_600_000;
    expect(await sockets[0]?.closed).toEqual({ code: 4403, reason: 'INVALID_API_KEY' });
  });

  it('AK-04 closes sockets and streams of a secret that a rotation ended, and those of the new secret stay open', async () => {
    const { id, key } = await app.keys.create({ name: 'rotated', modules: ['monitor'] });
    const old = await openSocket(host, key);
    const stream = await fetch(`http://${host}/graphql`, {
      method: 'POST',
      headers: { 'x-api-key': key, accept: 'text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({ query: CHANGES }),
    });
    const { key: newKey } = await app.keys.rotate(id, { overlapMs: 0 });
    const fresh = await openSocket(host, newKey);
    expect(await old.closed).toEqual({ code: 4403, reason: 'INVALID_API_KEY' });
    expect(await stream.text()).toContain('"code":"INVALID_API_KEY"');
    expect(fresh.ws.readyState).toBe(fresh.ws.OPEN);
  });

  it('ends event streams with an error when their key is revoked', async () => {
    const { id, key } = await app.keys.create({ name: 'streaming', modules: ['monitor'] });
    const answer = await fetch(`http://${host}/graphql`, {
      method: 'POST',
      headers: { 'x-api-key': key, accept: 'text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({ query: CHANGES }),
    });
    await until(() => subscriberCount(app) === 1);
    await app.keys.revoke(id);
    const text = await answer.text();
    expect(text).toContain('"code":"INVALID_API_KEY"');
    expect(text.trimEnd().endsWith('event: complete\ndata:')).toBe(true);
    await until(() => app.server.connectionCounts().streams === 0);
  });
});

it('AK-06 counts invalid keys of sockets by the address that a trusted proxy states, together with those of requests', async () => {
  const proxied = await testApp({ listsTried: false, env: { QUIPU_TRUSTED_PROXIES: '127.0.0.0/8' } });
  onTestFinished(() => proxied.close());
  const at = await listening(proxied);
  const byRequest = async (from: string): Promise<number> => {
    const headers = { 'x-api-key': 'sk_unknown', 'x-forwarded-for': from };
    const { status } = await fetch(`http://${at}/v1/usage`, { headers });
    return status === 503 ? byRequest(from) : status; // the database of a busy machine; nothing was counted
  };
  const bySocket = async (from: string) => {
    const socket = rawSocket(at, { headers: { 'x-forwarded-for': from } });
    await socket.opened;
    socket.send({ type: 'connection_init', payload: { key: 'sk_unknown' } });
    return (await socket.closed).reason;
  };
  for (let i = 0; i < 10; i += 1) expect([await byRequest('192.0.2.1'), await bySocket('192.0.2.1')]).toEqual([403, 'INVALID_API_KEY']);
  expect([await byRequest('192.0.2.1'), await bySocket('192.0.2.1')]).toEqual([429, 'RATE_LIMITED']);
  expect([await byRequest('192.0.2.2'), await bySocket('192.0.2.2')]).toEqual([403, 'INVALID_API_KEY']);
});
