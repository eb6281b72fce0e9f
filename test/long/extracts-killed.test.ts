import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Sandbox, startSandbox } from '../../sandbox/server/server.ts';
import { simulators } from '../../sandbox/upstreams/index.ts';
import { DAY_MS, isoDate } from '../../src/domain/time.ts';
import { MAX_IDENTIFIERS } from '../../src/modules/monitor/domain/monitor.ts';
import { importFolder } from '../../src/sources/receita-federal/copy/import.ts';
import { cnpjOf, company, dateInNames, type Files, folderOf, monthOf, roots } from '../sources/receita-copy/support.ts';
import { addressesOn, sandboxSettings } from '../support/app-with-faults.ts';
import { startCluster } from '../support/cluster.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { memoryLog } from '../support/log.ts';
import { OWN } from '../support/own-numbers.ts';
import { randomOf } from '../support/random.ts';
import { receiver } from '../support/receiver.ts';
import { importParts } from '../support/registry-copy.ts';
import { rounds } from '../support/rounds.ts';

const KEY = 'sk_an_operator_of_the_killed_processes';
const COMPANIES = rounds(OWN['CG-04'].changes);
const KILLS = rounds(10);

let db: TestDb;
let upstreams: Sandbox;
beforeAll(async () => {
  db = await testDb();
  upstreams = await startSandbox({ simulators, log: memoryLog().log });
});
afterAll(async () => {
  await upstreams.close();
  await db.close();
});

/** Imports an extract of some days ago. */
const load = async (files: Files, daysAgo: number): Promise<void> => {
  const folder = await folderOf(files, dateInNames(isoDate(Date.now() - daysAgo * DAY_MS)));
  await importFolder(folder, importParts({ db: db.knex, origin: 'publisher' }), { force: true });
};

const countOf = async (table: string, where: string): Promise<number> =>
  Number((await db.knex(table).whereRaw(where).count({ n: '*' }))[0]?.n);

/** Watches companies with a webhook that is told changes of names, too. */
async function watch(url: string, webhookUrl: string, cnpjs: readonly string[]): Promise<void> {
  for (let at = 0; at < cnpjs.length; at += MAX_IDENTIFIERS) {
    const body = { identifiers: cnpjs.slice(at, at + MAX_IDENTIFIERS), country: 'BR', webhook_url: webhookUrl };
    const answer = await fetch(`${url}/v1/monitor/subscriptions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-api-key': KEY },
      body: JSON.stringify({ ...body, retry_policy: 'standard', record_news: true }),
    });
    expect(answer.status).toBe(200);
  }
}

it('CG-04 each of 10,000 watched companies that changed between two extracts is reported once, also if processes are killed', async () => {
  const all = roots(COMPANIES);
  await load(monthOf(COMPANIES), 40);
  const pair = await startCluster(2, {
    DATABASE_URL: db.url,
    QUIPU_KEY_SECRET: 'a secret of this test',
    PORT: '0',
    QUIPU_SOURCES: 'live',
    QUIPU_RECEITA_MODE: 'copy',
    QUIPU_BOOTSTRAP_KEY: KEY,
    QUIPU_PLANS: JSON.stringify({ standard: { watch: { monitors: 100, companies: COMPANIES } } }),
    QUIPU_MONITOR_INTERVAL: '1h',
    QUIPU_MONITOR_GUARD_MIN: '100000',
    QUIPU_OUTBOUND_ALLOW: '127.0.0.0/8',
    QUIPU_TENDERS_MONTHS: '1',
    LOG_LEVEL: 'error',
    ...sandboxSettings(),
    ...addressesOn(upstreams.url),
  });
  const inbox = await receiver();
  const cnpjs = all.map((root) => cnpjOf(root));
  await watch(pair.url(0), inbox.url, cnpjs);
  await expect.poll(() => countOf('watched_companies', 'snapshot IS NULL'), { timeout: 300_000, interval: 500 }).toBe(0);

  await load({ ...monthOf(COMPANIES), Empresas0: all.map((root) => company(root, `OUTRA ${root}`)) }, 10);
  const random = randomOf(20_261_128);
  for (let i = 0; i < KILLS; i += 1) {
    await sleep(500 + random() * 2_500);
    await pair.killAndRestart(i % 2);
  }

  await expect.poll(() => countOf('changes', 'true'), { timeout: 900_000, interval: 500 }).toBe(COMPANIES);
  const changes = await db.knex('changes').select('tax_id', 'fields');
  const reported = changes.map(({ tax_id: cnpj, fields }) => [cnpj, fields.map(({ field }: { field: string }) => field)]);
  expect(reported.toSorted()).toEqual(cnpjs.map((cnpj) => [cnpj, ['name']]).toSorted());
  const delivered = () => new Map(inbox.received.map(({ headers, body }) => [String(headers['webhook-id']), JSON.parse(body).identifier]));
  await expect.poll(() => delivered().size, { timeout: 900_000, interval: 500 }).toBe(COMPANIES);
  expect([...delivered().values()].toSorted()).toEqual(cnpjs.toSorted());
}, 3_600_000);
