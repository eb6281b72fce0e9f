import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { companies } from '../../sandbox/world/brazil/world.ts';
import { createDb, type DbOptions } from '../../src/db/knex.ts';
import { createMetering } from '../../src/metering/metering.ts';
import type { Claim } from '../../src/metering/store/idempotency-keys.ts';
import { insertUsage, type UsageRecord, voidUsage } from '../../src/metering/store/usage-records.ts';
import { createUsageBatcher } from '../../src/metering/usage-batcher.ts';
import { createRequestUsage, usageRecordOf } from '../../src/metering/usage-records.ts';
import { testApp } from '../support/app.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { memoryLog } from '../support/log.ts';

let db: TestDb;
beforeAll(async () => {
  db = await testDb();
});
afterAll(() => db.close());

const AT = Date.UTC(2026, 10, 21);
const use = (question: string, claim?: Claim): UsageRecord =>
  usageRecordOf({ keyId: '00000000-0000-4000-8000-000000000001', requestId: randomUUID(), startedAt: AT, claim }, 'kyb', question);
const counter = async () => Number((await db.knex('usage_counters').first())?.used ?? 0);
const recorded = async () => Number((await db.knex('usage_events').sum({ n: 'quantity' }).first())?.n);
const rows = async () => Number((await db.knex('usage_events').count({ n: '*' }).first())?.n);

/** A usage batcher that records the size of each write and delays each write until `pending` resolves. */
function watched(pending: () => Promise<void> = async () => undefined) {
  const groups: number[] = [];
  const meter = createUsageBatcher({
    log: memoryLog().log,
    async write(records) {
      groups.push(records.length);
      await pending();
      await insertUsage(db.knex, records);
    },
    undo: (records) => voidUsage(db.knex, records),
  });
  return { groups, ...meter };
}

describe('the statement that writes usage', () => {
  const preparedBy = async (options: DbOptions): Promise<unknown> => {
    const pool = createDb(db.url, { ...options, poolMax: 1 });
    try {
      await insertUsage(pool, [use('prepared')]);
      await insertUsage(pool, [use('prepared again'), use('and again')]);
      return await pool('pg_prepared_statements').select('name');
    } finally {
      await pool.destroy();
    }
  };

  it('is prepared once for a connection', async () => {
    expect(await preparedBy({})).toEqual([{ name: 'insert_usage' }]);
  });

  it('is not prepared through a connection pooler, which may run the next transaction in another server process', async () => {
    expect(await preparedBy({ directUrl: `${db.url}?application_name=direct` })).toEqual([]);
  });
});

describe('the usage batcher', () => {
  it('writes concurrent records as one group, and records that arrive during the write as the next group', async () => {
    const { record, groups } = watched(() => sleep(100));
    const before = await rows();
    const first = Array.from({ length: 300 }, (_, i) => record(use(`first ${i}`)));
    await sleep(50);
    const second = Array.from({ length: 200 }, (_, i) => record(use(`second ${i}`)));
    await Promise.all(first);
    expect((await rows()) - before).toBe(300);
    await Promise.all(second);
    expect([groups, (await rows()) - before, await counter()]).toEqual([[300, 200], 500, await rows()]);
  });

  it('writes at most five thousand records at a time', async () => {
    const groups: number[] = [];
    const { record } = createUsageBatcher({
      log: memoryLog().log,
      write: async (records) => void groups.push(records.length),
      undo: async () => undefined,
    });
    await Promise.all(Array.from({ length: 12_000 }, (_, i) => record(use(`many ${i}`))));
    expect(groups).toEqual([5_000, 5_000, 2_000]);
  });

  it('MT-11 counts a question once under one claim, within one group and with two concurrent batchers', async () => {
    const before = await rows();
    const pair = [watched(), watched()];
    const claims = Array.from({ length: 20 }, () => ({ id: randomUUID(), attempt: 1 }));
    const uses = claims.flatMap((claim) => [use('a', claim), use('b', claim), use('a', claim)]);
    await Promise.all(pair.flatMap(({ record }, i) => (i === 0 ? uses : uses.toReversed()).map((one) => record(one))));
    expect((await rows()) - before).toBe(40);
    expect(await counter()).toBe(await rows());
  });

  it('MT-05 rejects records within 2 s when a write hangs, and bills neither the waiting record nor the one under way', async () => {
    const before = await rows();
    const hung = Promise.withResolvers<void>();
    const { record, groups } = watched(() => hung.promise);
    const begin = performance.now();
    const first = record(use('hung'));
    await sleep(100);
    const waited = record(use('waits'));
    for (const refused of [first, waited]) await expect(refused).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    expect(performance.now() - begin).toBeLessThan(2_000);
    hung.resolve();
    await record(use('after'));
    await expect.poll(rows, { timeout: 5_000 }).toBe(before + 1);
    expect([groups, await counter()]).toEqual([[1, 1], await rows()]);
  });

  it('MT-05 voids a refused record that was committed, also when its connection was lost', async () => {
    const before = await rows();
    const committed = createUsageBatcher({
      log: memoryLog().log,
      write: async (records) => {
        await insertUsage(db.knex, records);
        throw new Error('the connection was lost');
      },
      undo: (records) => voidUsage(db.knex, records),
    });
    await expect(committed.record(use('lost'))).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await expect.poll(rows).toBe(before);
  });

  it.each([
    ['first', [0, 1]],
    ['last', [1, 0]],
    ['in the same group', [0, 0]],
  ])('MT-11 counts the answer of the later attempt when an earlier one that is refused writes %s', async (_, turns) => {
    const before = await rows();
    const id = randomUUID();
    const attempts = [1, 2].map((attempt) => use('repeated', { id, attempt }));
    for (const turn of new Set(turns.toSorted()))
      await insertUsage(
        db.knex,
        attempts.filter((_, i) => turns[i] === turn),
      );
    await voidUsage(db.knex, attempts.slice(0, 1));
    expect([await rows(), await counter()]).toEqual([before + 1, before + 1]);
    await voidUsage(db.knex, attempts.slice(1));
    expect([await rows(), await counter()]).toEqual([before, before]);
  });
});

describe('the usage of a request', () => {
  const request = (claim?: Claim) => ({
    keyId: '00000000-0000-4000-8000-000000000001',
    requestId: randomUUID(),
    startedAt: AT,
    claim,
  });
  const quantities = async (requestId: string) =>
    (await db.knex('usage_events').where({ request_id: requestId }).orderBy('quantity', 'desc')).map(({ quantity }) => quantity);

  it('is one row for the answers that are counted before the row is written, and another row for those after', async () => {
    const pending = Promise.withResolvers<void>();
    const { groups, ...meter } = watched(() => pending.promise);
    const one = request();
    const usage = createRequestUsage(one, meter);
    const before = await counter();
    for (const question of ['a', 'b']) usage.count('kyb', question);
    await expect.poll(() => groups.length).toBe(1);
    usage.count('kyb', 'c');
    pending.resolve();
    await usage.written();
    expect([await quantities(one.requestId), (await counter()) - before]).toEqual([[2, 1], 3]);
  });

  it('MT-11 is a row for each question under a claim, so that another attempt counts only what is new', async () => {
    const id = randomUUID();
    const before = await counter();
    const [first, second] = [request({ id, attempt: 1 }), request({ id, attempt: 2 })];
    const earlier = createRequestUsage(first, watched());
    for (const question of ['a', 'b']) earlier.count('kyb', question);
    await earlier.written();
    const later = createRequestUsage(second, watched());
    for (const question of ['b', 'c']) later.count('kyb', question);
    await later.written();
    expect((await counter()) - before).toBe(3);
    expect([await quantities(first.requestId), await quantities(second.requestId)]).toEqual([[1], [1, 1]]);
  });

  it('MT-05 is voided with its quantity when the request is refused, also what is written after that', async () => {
    const pending = Promise.withResolvers<void>();
    const { groups, ...meter } = watched(() => (groups.length === 1 ? Promise.resolve() : pending.promise));
    const usage = createRequestUsage(request(), meter);
    const before = await counter();
    for (const question of ['a', 'b']) usage.count('kyb', question);
    await usage.written();
    expect((await counter()) - before).toBe(2);
    usage.count('kyb', 'c');
    await expect.poll(() => groups.length).toBe(2);
    usage.refuse();
    pending.resolve();
    await usage.written();
    await expect.poll(async () => (await counter()) - before).toBe(0);
    expect(() => usage.count('kyb', 'd')).toThrow(expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' }));
    expect(await counter()).toBe(await recorded());
  });
});

describe('an answer that cannot be counted', () => {
  it('MT-05 is replaced by a 503 in both APIs when the insert fails, the counters are locked or the table is missing', async () => {
    const app = await testApp({ patience: 1, env: { QUIPU_PLANS: '{"standard":{"compliance_br":{"rate":null}}}' } });
    onTestFinished(() => app.close());
    const cnpj = companies[0]?.cnpj;
    const check = () => app.post('/v1/compliance-br', { cnpj });
    const query = () => app.query(`{ company(identifier: "${cnpj}") { identifier compliance { riskLevel } } }`);
    const counted = async () => Number((await app.db('usage_events').count({ n: '*' }).first())?.n);
    expect((await check()).status).toBe(200);

    const refused = async () => {
      const begin = performance.now();
      const [rest, graph] = await Promise.all([check(), query()]);
      expect([rest.status, rest.body.code, rest.headers['retry-after']]).toEqual([503, 'service_unavailable', '2']);
      expect([graph.status, graph.body.data]).toEqual([503, undefined]);
      expect(graph.body).toMatchObject({
        errors: [{ extensions: { code: 'SERVICE_UNAVAILABLE' } }],
        extensions: { cost: { counted: {} } },
      });
      expect(performance.now() - begin).toBeLessThan(2_000);
      expect(JSON.stringify([rest.body, graph.body])).not.toMatch(/insert|usage_|read-only/i);
    };
    await app.db.raw('ALTER TABLE usage_events ADD CONSTRAINT full_disk CHECK (false) NOT VALID');
    await refused();
    await app.db.raw('ALTER TABLE usage_events DROP CONSTRAINT full_disk');
    await app.db.transaction(async (trx) => {
      await trx.raw('LOCK TABLE usage_counters IN ACCESS EXCLUSIVE MODE');
      await refused();
    });
    await app.db.raw('ALTER TABLE usage_events RENAME TO away');
    await refused();
    await app.db.raw('ALTER TABLE away RENAME TO usage_events');
    await expect.poll(counted, { timeout: 5_000 }).toBe(1);
    expect((await check()).status).toBe(200);
    expect(await counted()).toBe(2);
  });

  it('leaves database connections for concurrent reads', async () => {
    const { log } = memoryLog();
    const { url: _, knex } = db;
    const metering = createMetering({
      db: knex,
      now: () => AT,
      log,
      plans: {},
      executionLimits: { perKey: 100, inAll: 400 },
      executionShare: () => 1,
      redisUrl: undefined,
      keySecret: 'secret',
    });
    onTestFinished(() => metering.close());
    await knex.transaction(async (trx) => {
      await trx.raw('LOCK TABLE usage_events IN ACCESS EXCLUSIVE MODE');
      const uses = Array.from({ length: 50 }, (_, i) => metering.usage.record(use(`locked ${i}`)));
      const reads = await Promise.all(Array.from({ length: 9 }, () => knex.raw('SELECT 1 AS one')));
      expect(reads.length).toBe(9);
      const outcomes = await Promise.allSettled(uses);
      expect(outcomes.every(({ status }) => status === 'rejected')).toBe(true);
    });
  });
});
