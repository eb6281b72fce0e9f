import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { companies } from '../../sandbox/world/brazil/world.ts';
import { createDb, type DbOptions } from '../../src/db/knex.ts';
import type { Claim } from '../../src/metering/store/idempotency-keys.ts';
import { insertUsage, type UsageRecord, voidUsage } from '../../src/metering/store/usage-records.ts';
import { createRequestUsage, usageRecordOf } from '../../src/metering/usage-records.ts';
import { testApp } from '../support/app.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { journalOfTest, withoutJournal } from '../support/usage-journal.ts';

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

describe('attempts under one claim', () => {
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

  it('is one record for the answers that are counted in one turn of the event loop, and another record for those after', async () => {
    const journal = await journalOfTest(db.knex);
    const records: UsageRecord[] = [];
    const record = (one: UsageRecord) => {
      records.push(one);
      return journal.record(one);
    };
    const usage = createRequestUsage(request(), { ...journal, record });
    const before = await counter();
    for (const question of ['a', 'b']) usage.count('kyb', question);
    await usage.written();
    usage.count('kyb', 'c');
    await usage.written();
    await journal.drain();
    expect([records.map(({ quantity }) => quantity), (await counter()) - before]).toEqual([[2, 1], 3]);
  });

  it('MT-11 is a row for each question under a claim, so that another attempt counts only what is new', async () => {
    const id = randomUUID();
    const before = await counter();
    const [first, second] = [request({ id, attempt: 1 }), request({ id, attempt: 2 })];
    const [earlier, later] = [await journalOfTest(db.knex), await journalOfTest(db.knex)];
    const ask = async (one: typeof first, journal: typeof earlier, questions: readonly string[]) => {
      const usage = createRequestUsage(one, journal);
      for (const question of questions) usage.count('kyb', question);
      await usage.written();
      await journal.drain();
    };
    await ask(first, earlier, ['a', 'b']);
    await ask(second, later, ['b', 'c']);
    expect((await counter()) - before).toBe(3);
    expect([await quantities(first.requestId), await quantities(second.requestId)]).toEqual([[1], [1, 1]]);
  });

  it('MT-05 is voided with its quantity when the request is refused, also what is recorded and drained before that', async () => {
    const journal = await journalOfTest(db.knex);
    const usage = createRequestUsage(request(), journal);
    const before = await counter();
    for (const question of ['a', 'b']) usage.count('kyb', question);
    await usage.written();
    await journal.drain();
    expect((await counter()) - before).toBe(2);
    usage.count('kyb', 'c');
    usage.refuse();
    await usage.written();
    await journal.drain();
    await expect.poll(async () => (await counter()) - before).toBe(0);
    expect(() => usage.count('kyb', 'd')).toThrow(expect.objectContaining({ code: 'SERVICE_UNAVAILABLE' }));
    expect(await counter()).toBe(await recorded());
  });
});

describe('an answer that cannot be counted', () => {
  it('MT-05 is replaced by a 503 in both APIs when the journal cannot be written, and answers count again afterwards', async () => {
    const app = await testApp({ patience: 1, env: { QUIPU_PLANS: '{"standard":{"compliance_br":{"rate":null}}}' } });
    onTestFinished(() => app.close());
    const cnpj = companies[0]?.cnpj;
    const check = () => app.post('/v1/compliance-br', { cnpj });
    const query = () => app.query(`{ company(identifier: "${cnpj}") { identifier compliance { riskLevel } } }`);
    const counted = async () => {
      await app.drainUsage();
      return Number((await app.db('usage_events').count({ n: '*' }).first())?.n);
    };
    expect((await check()).status).toBe(200);
    expect(await counted()).toBe(1);

    await withoutJournal(app, async () => {
      for (const { status, body, headers } of [await check(), await query()]) {
        expect([status, headers['retry-after']]).toEqual([503, '2']);
        expect(JSON.stringify(body)).toMatch(/service_unavailable/i);
        expect(JSON.stringify(body)).not.toMatch(/ENOENT|journal|usage-/i);
      }
    });
    await expect.poll(async () => (await check()).status).toBe(200);
    expect(await counted()).toBe(2);
  });

  it('MT-04 is given while the usage tables cannot be written, and is counted once when they can', async () => {
    const app = await testApp({ env: { QUIPU_PLANS: '{"standard":{"compliance_br":{"rate":null}}}' } });
    onTestFinished(() => app.close());
    const cnpj = companies[0]?.cnpj;
    await app.db.raw('ALTER TABLE usage_events RENAME TO away');
    for (let i = 0; i < 3; i += 1) expect((await app.post('/v1/compliance-br', { cnpj })).status).toBe(200);
    await app.drainUsage();
    await app.db.raw('ALTER TABLE away RENAME TO usage_events');
    await app.drainUsage();
    await app.drainUsage();
    expect(Number((await app.db('usage_counters').sum({ used: 'used' }).first())?.used)).toBe(3);
  });
});
