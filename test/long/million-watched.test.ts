import { afterAll, beforeAll, expect, it } from 'vitest';
import { createDb } from '../../src/db/knex.ts';
import { DAY_MS, HOUR_MS } from '../../src/domain/time.ts';
import { ceis } from '../../src/modules/debarment/source.ts';
import { monitorService } from '../../src/modules/monitor/service/monitor.ts';
import { ceisFile } from '../modules/monitor/ceis-file.ts';
import { type Node, node } from '../modules/monitor/registry.ts';
import { watch } from '../modules/monitor/support.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { cnpjOf } from '../support/made-up-cnpjs.ts';
import { rounds } from '../support/rounds.ts';
import { upstream } from '../support/upstream.ts';

const COMPANIES = rounds(1_000_000);
/** Companies that the list names. */
const LISTED = Math.round(COMPANIES * 0.2);
const NEVER = new AbortController().signal;
const FIRST_ROOT = 10_000_000;

/** CNPJ of the nth listed company. The other companies have check digits of 00, which nothing reads. */
const cnpj = (n: number): string => cnpjOf(FIRST_ROOT + n);

let db: TestDb;
let now = Date.parse('2026-11-21T00:00:00Z');
beforeAll(async () => {
  db = await testDb();
  await watchAll(db, await watch(db.knex, [{ country: 'BR', taxId: cnpj(0) }], { now }));
}, 600_000);
afterAll(() => db.close());

/** Adds the companies to a monitor, as if a version of CEIS had been compared that names none of them. */
async function watchAll({ url }: TestDb, monitorId: string): Promise<void> {
  const companies = `SELECT coalesce(listed.tax_id, ${FIRST_ROOT} + n || '000100') AS tax_id, n
    FROM generate_series(0, ${COMPANIES - 1}) AS n LEFT JOIN unnest(?::text[]) WITH ORDINALITY AS listed (tax_id, nth) ON nth = n + 1`;
  const listed = Array.from({ length: LISTED }, (_, n) => cnpj(n));
  const unlimited = createDb(url, { statementTimeoutMs: 0, poolMax: 1 });
  await unlimited.raw(
    `INSERT INTO watched_companies (country, tax_id, legal_person, listings, anchor_at, due_at)
     SELECT 'BR', tax_id, 'BR:' || left(tax_id, 8), '{"CEIS": []}', ?, ? FROM (${companies}) AS c
     ON CONFLICT (country, tax_id) DO UPDATE SET listings = excluded.listings, due_at = excluded.due_at`,
    [new Date(now), new Date(now + HOUR_MS), listed],
  );
  await unlimited.raw(
    `INSERT INTO monitor_companies (monitor_id, country, tax_id, identifier, ordinal)
     SELECT ?, 'BR', tax_id, tax_id, n FROM (${companies}) AS c ON CONFLICT DO NOTHING`,
    [monitorId, listed],
  );
  await unlimited.raw('VACUUM ANALYZE watched_companies, monitor_companies');
  await unlimited.destroy();
}

const count = async (table: string): Promise<number> => Number((await db.knex(table).count({ count: '*' }))[0]?.count);

/** Loads the list of a process, and compares all companies with it. */
async function compare({ open, use }: Node): Promise<void> {
  now += DAY_MS;
  await use(ceis).sync({ force: true });
  await open(monitorService).lists.compare('CEIS', NEVER);
}

/** A process with a version of CEIS that names so many companies. @param share from which changes are held */
async function processWith(share: string, listed: number): Promise<Node> {
  const file = ceisFile([...Array(listed).keys()].map((n) => ({ cnpj: cnpj(n), code: String(n) })));
  const publisher = await upstream(() => ({ body: file, headers: { 'content-type': 'text/csv' } }));
  const addresses = { QUIPU_CEIS_URL: `${publisher.url}/ceis.csv` };
  return node({ db: db.knex, now: () => now, settings: { QUIPU_MONITOR_GUARD_SHARE: share }, addresses });
}

it(`${COMPANIES} watched companies are compared with a list, and ${LISTED} changes published`, async () => {
  await compare(await processWith('1', LISTED));
  expect(await count('changes')).toBe(LISTED);
});

it(`${COMPANIES} watched companies are compared with a list, and ${LISTED} changes held`, async () => {
  await compare(await processWith('0.1', 1));
  expect([await count('changes'), await count('held_changes')]).toEqual([LISTED, LISTED - 1]);
});

it(`the checks of ${COMPANIES} companies are brought forward when the interval is shorter than before`, async () => {
  now += HOUR_MS;
  const { open, lines } = node({ db: db.knex, now: () => now, settings: { QUIPU_MONITOR_INTERVAL: '1h' } });
  await shiftDue();
  await open(monitorService).checks.tick();
  expect(lines).toEqual([]);
  const [row] = await db.knex('watched_companies').max({ latest: 'due_at' });
  expect(row?.latest.getTime()).toBeLessThanOrEqual(now + HOUR_MS);
});

/** Plans every check a day later, as with an interval of a day. */
async function shiftDue(): Promise<void> {
  const unlimited = createDb(db.url, { statementTimeoutMs: 0, poolMax: 1 });
  await unlimited.raw('UPDATE watched_companies SET due_at = ?', [new Date(now + DAY_MS)]);
  await unlimited.destroy();
}

it(`${COMPANIES} companies are deleted when nobody watches them any more`, async () => {
  await db.knex('monitors').update({ cancelled_at: new Date(now) });
  const { open, lines } = node({ db: db.knex, now: () => now });
  await open(monitorService).purge();
  expect(lines).toEqual([]);
  expect(await count('watched_companies')).toBe(0);
});
