import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { companies } from '../../sandbox/world/brazil/world.ts';
import { createSealer } from '../../src/db/sealer.ts';
import { MODULES } from '../../src/domain/catalogue.ts';
import { DAY_MS } from '../../src/domain/time.ts';
import { type Attempt, createIdempotency } from '../../src/metering/idempotency-keys.ts';
import { DAILY_QUOTA } from '../../src/metering/store/idempotency-keys.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { idempotentRequests, identifiers, LARGE_QUERY, largeFields } from '../support/idempotent-requests.ts';

const clock = { offset: 0 };
let app: TestApp;
beforeAll(async () => {
  const plans = JSON.stringify({ standard: { kyb: { rate: { perMinute: 1, burst: 1 } }, compliance_br: { rate: null } } });
  app = await testApp({ env: { QUIPU_PLANS: plans }, now: () => Date.now() + clock.offset });
});
afterAll(() => app.close());
beforeEach(() => {
  clock.offset = 0;
});

const [one, two, three] = companies.map(({ cnpj }) => cnpj);
const all = () => app.keyFor(...MODULES);
const { send, rowsOf } = idempotentRequests(() => app);

const largeMutation = `mutation {
  createMonitor(input: { country: BR, identifiers: ${identifiers}, webhookUrl: "https://127.0.0.1/hook" }) {
    monitor { companies(first: 100) { nodes { ${largeFields} } } }
  }
}`;

describe('a request under an Idempotency-Key', () => {
  it('MT-11 gets the first answer again when it is repeated within a day, and is counted once', async () => {
    const key = await all();
    const idem = randomUUID();
    const first = await send(key, idem, { cnpj: one });
    clock.offset = DAY_MS - 60_000;
    const again = await send(key, idem, { cnpj: one });
    expect([first.status, first.headers['idempotent-replayed']]).toEqual([200, undefined]);
    expect([again.status, again.headers['idempotent-replayed'], again.text]).toEqual([200, 'true', first.text]);
    expect(again.headers['content-type']).toBe(first.headers['content-type']);
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect(await rowsOf(key)).toBe(1);
  });

  it('MT-11 gets one answer and is counted once when fifty copies are sent at the same time', async () => {
    const key = await all();
    const idem = randomUUID();
    const answers = await Promise.all(Array.from({ length: 50 }, () => send(key, idem, { cnpj: one })));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers.filter(({ headers }) => headers['idempotent-replayed'] === undefined).length).toBe(1);
    expect(await rowsOf(key)).toBe(1);
  });

  it('is replayed through GraphQL, and refused with another query', async () => {
    const key = await all();
    const idem = randomUUID();
    const query = { query: `{ company(identifier: "${one}") { compliance { generatedAt riskLevel } kyb { status } } }` };
    const first = await send(key, idem, query, '/graphql');
    const again = await send(key, idem, query, '/graphql');
    expect(first.body.errors).toBeUndefined();
    expect([again.text, again.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
    expect(await rowsOf(key)).toBe(2);
    const other = await send(key, idem, { query: '{ sources { name } }' }, '/graphql');
    expect([other.status, other.body.errors[0].extensions.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
  });

  it('MT-11 is refused with another body or at another path, and accepted with another API key', async () => {
    const [key, other] = [await all(), await all()];
    const idem = randomUUID();
    await send(key, idem, { cnpj: one });
    for (const [body, path] of [
      [{ cnpj: two }, '/v1/compliance-br'],
      [{ cnpj: one }, '/v1/kyb'],
    ] as const) {
      const refused = await send(key, idem, body, path);
      expect([refused.status, refused.body.code, refused.headers['content-type']]).toEqual([
        422,
        'idempotency_key_reused',
        'application/problem+json; charset=utf-8',
      ]);
    }
    expect((await send(other, idem, { cnpj: two })).status).toBe(200);
    expect([await rowsOf(key), await rowsOf(other)]).toEqual([1, 1]);
  });

  it('is processed as a new request after a day', async () => {
    const key = await all();
    const idem = randomUUID();
    await send(key, idem, { cnpj: one });
    clock.offset = DAY_MS + 1;
    const later = await send(key, idem, { cnpj: two });
    expect([later.status, later.headers['idempotent-replayed']]).toEqual([200, undefined]);
    expect(await rowsOf(key)).toBe(2);
  });

  it('is processed again after a 429, and counted when it succeeds', async () => {
    const key = await all();
    const limited = randomUUID();
    const kyb = () => send(key, limited, { identifier: one, country: 'BR' }, '/v1/kyb');
    await app.post('/v1/kyb', { identifier: one, country: 'BR' }, key);
    expect((await kyb()).status).toBe(429);
    clock.offset = 60_000;
    expect((await kyb()).status).toBe(200);
    expect(await rowsOf(key)).toBe(2);
  });

  it('is processed again after a GraphQL answer with RATE_LIMITED', async () => {
    const key = await all();
    const idem = randomUUID();
    await app.post('/v1/kyb', { identifier: one, country: 'BR' }, key);
    const query = { query: `{ company(identifier: "${one}") { kyb { status } } }` };
    const limited = await send(key, idem, query, '/graphql');
    expect([limited.status, limited.body.errors[0].extensions.code]).toEqual([200, 'RATE_LIMITED']);
    clock.offset = 60_000;
    const again = await send(key, idem, query, '/graphql');
    expect([again.headers['idempotent-replayed'], again.body.errors]).toEqual([undefined, undefined]);
    expect((await send(key, idem, query, '/graphql')).headers['idempotent-replayed']).toBe('true');
  });

  it('gets the partial answer of a consolidated check with a failed source again, and a complete one under a new key', async () => {
    const key = await all();
    const idem = randomUUID();
    for (const mirror of ['receita_federal', 'opencnpj']) app.sandbox?.faults.set(mirror, { mode: 'html_404' });
    const partial = await send(key, idem, { cnpj: three }).finally(() => app.sandbox?.faults.clear());
    expect(partial.body.sources_failed).not.toEqual([]);
    const again = await send(key, idem, { cnpj: three });
    expect([again.headers['idempotent-replayed'], again.text, await rowsOf(key)]).toEqual(['true', partial.text, 1]);
    const complete = await send(key, randomUUID(), { cnpj: three });
    expect([complete.body.sources_failed, await rowsOf(key)]).toEqual([[], 2]);
  });

  it('MT-11 is processed again, and counted once, when the lease of a counted but unfinished request has expired', async () => {
    const key = await all();
    const idem = randomUUID();
    await send(key, idem, { cnpj: one });
    await app.db('idempotency_keys').where({ idem_key: idem }).update({ state: 'running', body: null, status: null });
    clock.offset = 6_000;
    const again = await send(key, idem, { cnpj: one });
    expect([again.status, again.headers['idempotent-replayed']]).toEqual([200, undefined]);
    expect(await rowsOf(key)).toBe(1);
    expect((await send(key, idem, { cnpj: one })).text).toBe(again.text);
  });

  it('is processed again after an answer that counted nothing', async () => {
    const key = await all();
    const idem = randomUUID();
    const query = { query: '{ sources { name } }' };
    await send(key, idem, query, '/graphql');
    expect((await app.db('idempotency_keys').where({ idem_key: idem }).first()).body).toBeNull();
    expect((await send(key, idem, query, '/graphql')).headers['idempotent-replayed']).toBeUndefined();
  });

  it('is processed again after an answer of more than 256 KiB, and each answer is counted', async () => {
    const key = await all();
    const idem = randomUUID();
    for (const times of [1, 2, 3]) {
      const { body, text, headers } = await send(key, idem, { query: LARGE_QUERY }, '/graphql');
      expect([body.errors, headers['idempotent-replayed']]).toEqual([undefined, undefined]);
      expect(text.length).toBeGreaterThan(256 * 1024);
      expect(await rowsOf(key)).toBe(times * companies.length);
    }
    expect((await app.db('idempotency_keys').where({ idem_key: idem }).first()).body).toBeNull();
  });

  it('is refused after a mutation whose answer had more than 256 KiB, and does not run it again', async () => {
    const key = await all();
    const idem = randomUUID();
    const first = await send(key, idem, { query: largeMutation }, '/graphql');
    expect(first.body.errors).toBeUndefined();
    expect(first.text.length).toBeGreaterThan(256 * 1024);
    const again = await send(key, idem, { query: largeMutation }, '/graphql');
    expect([again.status, again.body.errors[0].extensions.code]).toEqual([422, 'IDEMPOTENCY_ANSWER_NOT_STORED']);
    const { id } = await app.keys.get(key);
    expect(await app.db('monitors').where({ key_id: id })).toHaveLength(1);
  });

  describe('over the daily quota of its API key', () => {
    const fill = async (key: string, used: object) => {
      const { id } = await app.keys.get(key);
      await app.db('idempotency_quotas').where({ key_id: id }).update(used);
    };

    it('is refused with 429 under a new Idempotency-Key, and replayed under a known one', async () => {
      const key = await all();
      const idem = randomUUID();
      await send(key, idem, { cnpj: one });
      await fill(key, { keys: DAILY_QUOTA.keys });
      const refused = await send(key, randomUUID(), { cnpj: one });
      expect([refused.status, refused.body.code]).toEqual([429, 'rate_limited']);
      expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(86_400);
      expect((await send(key, idem, { cnpj: one })).headers['idempotent-replayed']).toBe('true');
      expect((await app.post('/v1/compliance-br', { cnpj: one }, key)).status).toBe(200);
    });

    it('is answered and counted each time, without storing the answer, when the bytes are used up, and a change is not repeated', async () => {
      const key = await all();
      const [check, change] = [randomUUID(), randomUUID()];
      await send(key, randomUUID(), { cnpj: one });
      await fill(key, { bytes: DAILY_QUOTA.bytes });
      expect((await send(key, check, { cnpj: two })).status).toBe(200);
      expect((await send(key, check, { cnpj: two })).headers['idempotent-replayed']).toBeUndefined();
      expect(await rowsOf(key)).toBe(3);
      const monitor = { identifiers: [one], country: 'BR', webhook_url: 'https://127.0.0.1/hook' };
      const create = () => send(key, change, monitor, '/v1/monitor/subscriptions');
      expect((await create()).status).toBe(200);
      expect(await create()).toMatchObject({ status: 422, body: { code: 'idempotency_answer_not_stored' } });
    });

    it('is processed on the next day', async () => {
      const key = await all();
      await send(key, randomUUID(), { cnpj: one });
      await fill(key, { keys: DAILY_QUOTA.keys });
      clock.offset = DAY_MS;
      expect((await send(key, randomUUID(), { cnpj: one })).status).toBe(200);
    });
  });

  it('is refused after the key has lost a module of the answer, and replayed when the key has it again', async () => {
    const key = await app.keyFor('compliance_br', 'labor');
    const idem = randomUUID();
    const first = await send(key, idem, { cnpj: one });
    await app.keys.update(key, { modules: ['labor'] });
    const refused = await send(key, idem, { cnpj: one });
    expect([refused.status, refused.body.code, refused.headers['idempotent-replayed']]).toEqual([403, 'module_not_enabled', undefined]);
    await app.keys.update(key, { modules: ['compliance_br'] });
    expect((await send(key, idem, { cnpj: one })).text).toBe(first.text);
  });

  it('MT-11 stores nothing for an attempt that lost its lease to another one', async () => {
    const key = { keyId: (await app.db('api_keys').first('id')).id, key: randomUUID() };
    const body = Buffer.from('a hash of the body');
    const response = (text: string) => ({ status: 200, headers: {}, body: text, modules: [] });
    const keys = createIdempotency({ db: app.db, now: () => Date.now() + clock.offset, sealer: createSealer('', '') });
    const slow = (await keys.begin(key, body)) as Attempt;
    clock.offset = 7_000;
    const quick = (await keys.begin(key, body)) as Attempt;
    expect(await slow.complete(response('slow'))).toBe('lost');
    expect(await quick.complete(response('quick'))).toBe('stored');
    expect(await keys.begin(key, body)).toMatchObject({ body: 'quick' });
  });

  it('is refused with 409 while the first request is running', async () => {
    const key = await all();
    const idem = randomUUID();
    await send(key, idem, { cnpj: one });
    const lease_until = new Date(Date.now() + 60_000);
    await app.db('idempotency_keys').where({ idem_key: idem }).update({ state: 'running', body: null, status: null, lease_until });
    const waiting = await send(key, idem, { cnpj: one });
    expect([waiting.status, waiting.body.code, waiting.headers['retry-after']]).toEqual([409, 'idempotency_in_progress', '2']);
  });

  it.each(['', 'a b', 'é', 'x'.repeat(256)])('is refused with 422 for the key %j', async (idem) => {
    const refused = await send(await all(), idem, { cnpj: one });
    expect([refused.status, refused.body.errors?.[0].field]).toEqual([422, 'Idempotency-Key']);
  });

  it('has its answer stored without readable text, and deleted by the purge after a day', async () => {
    const key = await all();
    const idem = randomUUID();
    await send(key, idem, { cnpj: one });
    const kept = await app.db('idempotency_keys').where({ idem_key: idem }).first();
    expect(kept.body.includes('risk_level')).toBe(false);
    clock.offset = DAY_MS + 1;
    await createIdempotency({ db: app.db, now: () => Date.now() + clock.offset, sealer: createSealer('', '') }).purge();
    expect(await app.db('idempotency_keys').where({ idem_key: idem }).first()).toBeUndefined();
  });
});
