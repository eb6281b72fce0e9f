import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { newKey } from '../../src/auth/api-keys/secret.ts';
import { MODULES } from '../../src/domain/catalogue.ts';
import { listening, rawSocket } from '../server/sockets/support.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { dumpDatabase } from '../support/dump.ts';

const KYB = { identifier: '00.000.000/0001-91', country: 'BR' };
const SOURCES = '{ sources { name } }';

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ env: { QUIPU_TRUSTED_PROXIES: '10.1.0.0/16' } });
});
afterAll(() => app.close());

describe('bad keys', () => {
  it('AK-06 get 429 after 20 a minute from one address, in REST and GraphQL, and valid keys from there get 200', async () => {
    const from = '198.51.100.1';
    const good: number[] = [];
    const bad: number[] = [];
    for (let i = 0; i < 1_000; i += 1) {
      bad.push((i % 2 ? await app.post('/v1/kyb', KYB, `sk_bad${i}`, from) : await app.query(SOURCES, {}, `sk_bad${i}`, from)).status);
      if (i % 10 === 0) good.push((await app.query(SOURCES, {}, app.key, from)).status);
    }
    expect(bad.slice(0, 20)).toEqual(Array(20).fill(403));
    expect(new Set(bad.slice(20))).toEqual(new Set([429]));
    expect(new Set(good)).toEqual(new Set([200]));
  });

  it('AK-06 get Retry-After in the error format of REST and of GraphQL', async () => {
    const from = '198.51.100.2';
    for (let i = 0; i < 20; i += 1) await app.post('/v1/kyb', KYB, 'sk_bad', from);
    const rest = await app.post('/v1/kyb', KYB, 'sk_bad', from);
    expect(rest).toMatchObject({ status: 429, body: { code: 'rate_limited', status: 429, title: expect.any(String) } });
    expect(rest.headers['content-type']).toMatch(/application\/problem\+json/);
    const graph = await app.query(SOURCES, {}, 'sk_bad', from);
    expect(graph).toMatchObject({
      status: 429,
      body: { errors: [{ extensions: { code: 'RATE_LIMITED', requestId: expect.any(String) } }] },
    });
    for (const { headers } of [rest, graph]) {
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
    }
  });

  it('are counted apart from requests without a key, which stay 403', async () => {
    const from = '198.51.100.3';
    for (let i = 0; i < 25; i += 1) expect((await app.post('/v1/kyb', KYB, null, from)).status).toBe(403);
    expect((await app.post('/v1/kyb', KYB, 'sk_bad', from)).status).toBe(403);
  });

  it('are counted by the address from a trusted proxy, and not from another sender', async () => {
    const ask = async (remoteAddress: string, forwarded: string) => {
      const headers = { 'x-api-key': 'sk_bad', 'x-forwarded-for': forwarded };
      const answer = await app.server.inject({ method: 'POST', url: '/v1/kyb', headers, remoteAddress: remoteAddress, payload: KYB });
      return answer.statusCode;
    };
    for (let i = 0; i < 20; i += 1) await ask('10.1.2.3', '203.0.113.1');
    expect(await ask('10.1.2.3', '203.0.113.1')).toBe(429);
    expect(await ask('10.1.2.3', '203.0.113.2')).toBe(403);
    expect(await ask('10.1.2.3', '198.51.100.9, 203.0.113.1')).toBe(429); // the address that the caller wrote before the proxy is ignored

    for (let i = 0; i < 20; i += 1) await ask('198.51.100.4', `203.0.113.${i}`);
    expect(await ask('198.51.100.4', '203.0.113.99')).toBe(429);
  });
});

describe('unknown keys from one address', () => {
  it('AK-06 cost no statement each beyond 20 a minute, by REST, GraphQL, event stream and socket; readiness costs none at all', async () => {
    const counted = await testApp({ env: { QUIPU_METRICS_PORT: '0', QUIPU_TRUSTED_PROXIES: '127.0.0.0/8' } });
    onTestFinished(() => counted.close());
    const host = await listening(counted);
    const FROM = '198.51.100.7';
    const over = (accept: string) => async () => {
      const headers = { 'x-api-key': newKey(randomBytes), 'x-forwarded-for': FROM, 'content-type': 'application/json', accept };
      return (await fetch(`http://${host}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query: SOURCES }) })).status;
    };
    const ways = [
      async () => (await counted.post('/v1/kyb', KYB, newKey(randomBytes), FROM)).status,
      over('application/json'),
      over('text/event-stream'),
      async () => {
        const socket = rawSocket(host, { headers: { 'x-forwarded-for': FROM } });
        await socket.opened;
        socket.send({ type: 'connection_init', payload: { key: newKey(randomBytes) } });
        return (await socket.closed).reason;
      },
    ];
    const ask = async (times: number) => {
      for (let i = 0; i < times; i += 1) for (const way of ways) answers.push(await way());
    };
    const answers: unknown[] = [];
    await ask(5);
    expect(answers).toEqual(Array(5).fill([403, 403, 403, 'INVALID_API_KEY']).flat());

    const before = await statements(counted);
    await ask(50);
    for (let i = 0; i < 200; i += 1) await counted.server.inject('/readyz');
    expect((await statements(counted)) - before).toBeLessThan(40); // of 400 requests; other work of the process has statements too
    expect(answers.slice(20)).toEqual(Array(50).fill([429, 429, 429, 'RATE_LIMITED']).flat());
  });
});

/** Statements of the process so far, as its metrics count them. */
async function statements({ metrics }: TestApp): Promise<number> {
  const text = (await metrics?.inject('/metrics'))?.body ?? '';
  return [...text.matchAll(/^quipu_sql_seconds_count\{.*\} (\d+)$/gm)].reduce((sum, [, count]) => sum + Number(count), 0);
}

describe('a key that is used', () => {
  it('AK-06 has a last use after the process saves it, in REST and GraphQL', async () => {
    const other = await testApp({ now: () => Date.parse('2026-11-21T12:34:56Z') });
    const [rest, graph, unused] = [await other.keyFor('kyb'), await other.keyFor('owners'), await other.keyFor('kyb')];
    await other.post('/v1/kyb', KYB, rest);
    await other.query(SOURCES, {}, graph);
    const { db } = other;
    await expect
      .poll(async () => (await other.keys.get(rest)).lastUsedAt, { timeout: 15_000, interval: 500 })
      .toBe(Date.parse('2026-11-21T12:34:00Z'));
    expect((await other.keys.get(graph)).lastUsedAt).not.toBeNull();
    expect((await other.keys.get(unused)).lastUsedAt).toBeNull();
    expect(await db('api_keys').whereNotNull('last_used_at')).toHaveLength(2);
    await other.close();
  });
});

describe('a key', () => {
  it('AK-02 is in no table and no log line, in full, in part or as a SHA-256 hash', async () => {
    const issued: string[] = [app.key];
    const narrow = await app.keys.create({ name: 'narrow', modules: ['kyb'], note: 'a note' });
    const rotated = await app.keys.rotate(narrow.id, { overlapMs: 60_000 });
    const revoked = await app.keys.create({ name: 'revoked', modules: MODULES });
    await app.keys.revoke(revoked.key);
    await app.keys.update(rotated.key, { plan: 'enterprise' });
    issued.push(narrow.key, rotated.key, revoked.key);
    issued.push(await app.keyFor('monitor'));

    for (const [i, key] of issued.entries()) {
      const from = `203.0.113.${100 + i}`;
      const headers = { 'x-api-key': key, 'user-agent': key, 'x-request-id': key };
      for (const url of [`/v1/kyb?api_key=${key}`, `/v1/${key}`, `/graphql?query={sources{name}}&key=${key}`, `/${key}/%zz`])
        for (const method of ['GET', 'POST'] as const) await app.server.inject({ method, url, headers, remoteAddress: from, payload: KYB });
      await app.post('/v1/kyb', { ...KYB, identifier: key }, key, from);
      await app.post('/v1/kyb', `{"identifier": "${key}`, key, from);
      await app.post('/v1/compliance-br', { cnpj: KYB.identifier }, key, from);
      await app.post('/v1/enrich', { domain: `${key}.com.br` }, key, from);
      const hook = { identifiers: [KYB.identifier], country: 'BR', webhook_url: `https://example.com/hook` };
      await app.post('/v1/monitor/subscriptions', hook, key, from);
      await app.query(`query Q($id: String!) { company(identifier: $id) { kyb { status } } } # ${key}`, { id: key }, key, from);
      await app.query(`{ ${key} }`, {}, key, from);
      await app.post('/v1/kyb', KYB, `${key.slice(0, -1)}?`, from);
    }
    await app.db.raw("CREATE TABLE canary AS SELECT 'canary-in-bytes'::bytea AS bytes");
    const written = `${await dumpDatabase(app.db)}\n${JSON.stringify(app.lines)}`;
    expect(written).toContain('"name": "narrow"');
    expect(written).toContain('canary-in-bytes');
    for (const key of issued) {
      const traces = [key, key.slice(3, -6), key.slice(0, -5), createHash('sha256').update(key).digest('hex')];
      expect(traces.filter((trace) => written.includes(trace))).toEqual([]);
    }
  });
});
