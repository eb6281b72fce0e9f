import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { sdnEntry, sdnXml } from '../../../sandbox/upstreams/sanctions/ofac.ts';
import type { OfacParty } from '../../../sandbox/upstreams/sanctions/ofac-parties.ts';
import { HOUR_MS } from '../../../src/domain/time.ts';
import { monitorService } from '../../../src/modules/monitor/service/monitor.ts';
import { makeCandidatesDue } from '../../../src/modules/monitor/store/list-entries.ts';
import { saveMonitorSettings } from '../../../src/modules/monitor/store/monitors.ts';
import { recordDigest } from '../../../src/modules/sanctions/sources/entry.ts';
import { nameView } from '../../../src/modules/sanctions/sources/name-view.ts';
import { ofacSdn } from '../../../src/modules/sanctions/sources/ofac-sdn.ts';
import { REVIEW_TABLES } from '../../../src/modules/sanctions/store.ts';
import { type TestDb, testDb } from '../../support/db.ts';
import { until } from '../../support/until.ts';
import { upstream } from '../../support/upstream.ts';
import { nameOf, party, UNRELATED } from './candidate-parties.ts';
import { type NodeOptions, node, type TestRegistry, testRegistry } from './registry.ts';
import { brazilian, changeLog, cnpj, companiesOf, watch } from './support.ts';

const NEVER = new AbortController().signal;
const KEY = 'OFAC_SDN:candidate';

let db: TestDb;
let now: number;
let registry: TestRegistry;
beforeAll(async () => {
  db = await testDb();
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.knex.raw(
    `TRUNCATE monitors, webhook_endpoints, watched_companies, changes, deliveries, endpoint_partitions, compared_lists, list_comparisons, held_changes,
       match_dismissals CASCADE`,
  );
  now = Date.parse('2026-11-21T00:00:00Z');
  registry = await testRegistry();
});

/** Creates a process with an OFAC list whose versions the test publishes. Company `n` of the registry has the name of party `n`. */
async function setup(settings: NodeOptions['settings'] = {}) {
  let file = '';
  const publisher = await upstream(() => ({ body: file, headers: { 'content-type': 'application/xml' } }));
  const addresses = { QUIPU_OFAC_SDN_URL: `${publisher.url}/SDN.XML` };
  const { open, use } = node({ db: db.knex, registry, now: () => now, settings, addresses });
  const { lists, checks, quarantine } = open(monitorService);
  const isIndexed = async () => (await use(ofacSdn).view(nameView)).version.id === use(ofacSdn).version();
  const load = async (...parties: OfacParty[]) => {
    file = sdnXml('11/20/2026', [...parties, ...UNRELATED].map(sdnEntry));
    now += HOUR_MS;
    expect(await use(ofacSdn).sync({ force: true })).toMatchObject({ outcome: 'loaded' });
    await until(isIndexed);
  };
  const compare = async () => {
    for (const key of await lists.pending()) await lists.compare(key, NEVER);
  };
  const publish = async (...parties: OfacParty[]) => {
    await load(...parties);
    await compare();
  };
  await load();
  return { load, compare, publish, lists, checks, quarantine };
}

/** Watches companies that have the names of the parties with their numbers, up to their first check. */
async function watchNamed(count: number, checks: { check(country: 'BR', signal: AbortSignal): Promise<void> }, more = {}) {
  for (let n = 0; n < count; n += 1) registry.says.set(cnpj(n), { name: `${nameOf(n)} COMERCIO LTDA` });
  const id = await watch(db.knex, companiesOf(count), { now, candidateNews: true, ...more });
  await checks.check('BR', NEVER);
  return id;
}

/** Watches 1,200 companies, three pages of a comparison, whose names are known without a check. @returns the id of the monitor */
async function watchMany(): Promise<string> {
  const companies = companiesOf(1_200);
  const id = await watch(db.knex, companies, { now, candidateNews: true });
  await db.knex.raw(
    `UPDATE watched_companies w SET names = ARRAY[r.name] FROM unnest(?::text[], ?::text[]) AS r (tax_id, name) WHERE w.tax_id = r.tax_id`,
    [companies.map(({ taxId }) => taxId), companies.map((_, n) => nameOf(n))],
  );
  return id;
}

/** Runs work while another transaction has locked the last watched company, until as many companies as two pages have satisfy `where`. */
async function withLastLocked(work: () => Promise<void>, where: string): Promise<void> {
  const other = await db.knex.transaction();
  await other('watched_companies')
    .orderBy([
      { column: 'country', order: 'desc' },
      { column: 'tax_id', order: 'desc' },
    ])
    .limit(1)
    .forUpdate();
  const done = work();
  done.catch(() => undefined); // a failure is thrown below
  try {
    const changed = () => db.knex('watched_companies').whereRaw(where).pluck('tax_id');
    await expect.poll(async () => (await changed()).length, { timeout: 10_000 }).toBe(1_000);
  } finally {
    await other.rollback();
    await done;
  }
}

/** Changes the setting of a monitor, as `updateMonitor` does. */
const setCandidateNews = (id: string, candidateNews: boolean) =>
  db.knex.transaction(async (trx) => {
    await saveMonitorSettings(trx, id, { candidateNews });
    await makeCandidatesDue(trx, id);
  });

const published = async () => (await changeLog(db.knex)).map(({ company, fields, source }) => [company.taxId, source, ...fields]);
const candidate = (from: number, to: number) => ({ field: 'candidate', list: 'OFAC_SDN', from: String(from), to: String(to) });

describe('candidates of watched companies', () => {
  it('are published when a new record has a similar name, and when that record changes', async () => {
    const { publish, compare, checks } = await setup();
    await watchNamed(3, checks);
    await compare();
    await publish(party(1));
    expect(await published()).toEqual([[cnpj(1), 'OFAC_SDN', candidate(0, 1)]]);
    await publish(party(1), party(50));
    await publish(party(1, { programs: ['SDNTK', 'SDGT'] }));
    expect((await published()).slice(1)).toEqual([[cnpj(1), 'OFAC_SDN', candidate(1, 1)]]);
  });

  it('are not published for records that were listed at the baseline, nor for records that leave the list', async () => {
    const { publish, compare, checks } = await setup();
    await publish(party(0));
    await watchNamed(2, checks);
    await compare();
    await publish(party(0), party(50));
    await publish(party(50));
    expect(await published()).toEqual([]);
    await publish(party(0));
    expect(await published()).toEqual([[cnpj(0), 'OFAC_SDN', candidate(0, 1)]]);
  });

  it('are published to monitors that are set to, and delivered if these get list changes by webhook', async () => {
    const { publish, compare, checks } = await setup();
    const subscribed = await watchNamed(1, checks, { listNews: true });
    const read = await watch(db.knex, companiesOf(1), { now, candidateNews: true });
    await watch(db.knex, companiesOf(1), { now, listNews: true });
    await compare();
    await publish(party(0));
    expect((await changeLog(db.knex)).map(({ monitorId }) => monitorId).toSorted()).toEqual([subscribed, read].toSorted());
    const [delivery] = await db.knex('deliveries').select('monitor_id', 'body');
    expect(delivery.monitor_id).toBe(subscribed);
    expect(JSON.parse(delivery.body).changed_fields).toEqual({ candidate: { from: '0', to: '1' } });
    expect(await db.knex('deliveries')).toHaveLength(1);
  });

  it('of a monitor that is set to later have the version of that time as their baseline', async () => {
    const { publish, compare, checks, lists } = await setup();
    const id = await watchNamed(2, checks, { candidateNews: false });
    await publish(party(0));
    expect(await lists.pending()).not.toContain(KEY);
    await setCandidateNews(id, true);
    await compare();
    expect(await lists.pending()).toEqual([]);
    await setCandidateNews(id, false);
    await watch(db.knex, [brazilian(cnpj(1))], { now, candidateNews: true });
    await publish(party(0, { programs: ['SDGT'] }), party(1));
    expect(await published()).toEqual([[cnpj(1), 'OFAC_SDN', candidate(0, 1)]]);
    await setCandidateNews(id, true);
    await compare();
    await publish(party(0, { programs: ['SDGT'] }), party(1), party(50));
    expect(await published()).toHaveLength(1);
  });

  it('begin with a new baseline after a time in which no monitor reported candidates', async () => {
    const { publish, compare, checks, lists } = await setup();
    const id = await watchNamed(2, checks);
    await compare();
    await setCandidateNews(id, false);
    expect(await lists.pending()).toEqual([KEY]);
    await compare();
    expect(await lists.pending()).toEqual([]);
    await publish(party(0));
    await setCandidateNews(id, true);
    await compare();
    expect(await published()).toEqual([]);
    await publish(party(0), party(1));
    expect(await published()).toEqual([[cnpj(1), 'OFAC_SDN', candidate(0, 1)]]);
  });

  it('are held no longer once no monitor reports candidates', async () => {
    const { publish, compare, checks, quarantine } = await setup({ QUIPU_MONITOR_GUARD_MIN: '1' });
    const id = await watchNamed(1, checks);
    await compare();
    await publish(party(0));
    expect(await quarantine.counts()).toHaveLength(1);
    await setCandidateNews(id, false);
    await compare();
    expect(await quarantine.counts()).toEqual([]);
  });

  it('are not published to an account that has dismissed them, until the record changes', async () => {
    const { publish, compare, checks, quarantine } = await setup({ QUIPU_MONITOR_GUARD_MIN: '1' });
    await watchNamed(1, checks);
    await compare();
    await publish(party(0));
    const [held] = await quarantine.list({ limit: 10 });
    expect(await published()).toEqual([]);
    const { account_id: accountId, id: keyId } = await db.knex('api_keys').first('account_id', 'id');
    const entry = { uid: '1000', kind: 'entity', name: `${nameOf(0)} SA`, aliases: [], programs: ['SDNTK'], countries: [] } as const;
    const digest = recordDigest({ ...entry, nationalities: [], datesOfBirth: [], taxIds: [], reference: null });
    expect(held?.observed).toEqual([`1000:${digest}`]);
    await db.knex.transaction((trx) =>
      REVIEW_TABLES.dismissed.saveAll(trx, accountId, [
        {
          ...{ id: randomUUID(), company: brazilian(cnpj(0)), ownerId: null, list: 'OFAC_SDN' },
          entityId: '1000',
          entryName: entry.name,
          recordDigest: digest,
          reason: 'Another company.',
          ...{ keyId, keyName: 'test', personId: null, approval: null, isWaiting: false },
          decidedAt: now,
        },
      ]),
    );
    await quarantine.release();
    expect(await published()).toEqual([]);
    await publish(party(0, { programs: ['SDGT'] }));
    await quarantine.release();
    expect(await published()).toEqual([[cnpj(0), 'OFAC_SDN', candidate(1, 1)]]);
  });

  it('are held apart from the other changes of the list when too many companies get one', async () => {
    const { publish, compare, checks, quarantine } = await setup();
    await watchNamed(30, checks);
    await compare();
    await publish(...Array.from({ length: 20 }, (_, n) => party(n)));
    expect(await published()).toEqual([]);
    expect(await quarantine.counts()).toEqual([{ source: 'OFAC_SDN', field: 'candidate', reason: 'share', count: 20 }]);
    expect(await quarantine.release({ source: 'OFAC_SDN', field: 'sanctions' })).toBe(0);
    expect(await quarantine.release({ source: 'OFAC_SDN' })).toBe(20);
    expect(await published()).toHaveLength(20);
  });

  it('are not published again when an operator has discarded them and the list repeats them', async () => {
    const { publish, compare, checks, quarantine } = await setup();
    await watchNamed(30, checks);
    await compare();
    const mass = Array.from({ length: 20 }, (_, n) => party(n));
    await publish(...mass);
    expect(await quarantine.discard()).toBe(20);
    await publish(...mass, party(25));
    expect(await published()).toEqual([[cnpj(25), 'OFAC_SDN', candidate(0, 1)]]);
  });

  it('are not searched for a company without a known name, and have a baseline as soon as its name is known', async () => {
    const { publish, compare, checks, lists } = await setup();
    registry.says.set(cnpj(0), { reply: { status: 503, body: {} } });
    await watch(db.knex, companiesOf(1), { now, candidateNews: true });
    await checks.check('BR', NEVER);
    await publish(party(0));
    expect(await lists.pending()).toEqual([]);
    registry.says.set(cnpj(0), { name: nameOf(0) });
    now += 6 * HOUR_MS;
    await checks.check('BR', NEVER);
    await compare();
    await publish(party(0), party(50));
    expect(await published()).toEqual([]);
    expect(await db.knex('watched_companies').pluck('names')).toEqual([[nameOf(0)]]);
  });

  it('of 1,200 companies are found by several calls that are interrupted, and published once', async () => {
    const { load, compare, lists } = await setup({ QUIPU_MONITOR_GUARD_SHARE: '1' });
    await watchMany();
    await compare();
    const listed = [0, 3, 600, 1_199];
    await load(...listed.map((n) => party(n)));
    await lists.compare('OFAC_SDN', NEVER);
    let calls = 0;
    for (; (await lists.pending()).length > 0; calls += 1) await lists.compare(KEY, AbortSignal.abort());
    expect(calls).toBe(6);
    expect((await published()).map(([taxId]) => taxId)).toEqual(listed.map((n) => cnpj(n)));
  });

  it('are marked as compared page by page, so that no company is locked until all are marked', async () => {
    const { compare, lists } = await setup();
    await watchMany();
    await compare();
    await db.knex('watched_companies').update({ candidates_due: true });
    await withLastLocked(() => lists.compare(KEY, NEVER), 'NOT candidates_due');
    expect(await db.knex('watched_companies').where({ candidates_due: true }).pluck('tax_id')).toEqual([]);
  });

  it('are deleted page by page when no monitor reports them any more', async () => {
    const { load, compare, lists } = await setup();
    const id = await watchMany();
    await compare();
    await setCandidateNews(id, false);
    await load(party(0));
    await withLastLocked(() => lists.compare(KEY, NEVER), `NOT jsonb_exists(listings, '${KEY}')`);
    expect(await db.knex('watched_companies').whereRaw(`jsonb_exists(listings, '${KEY}')`).pluck('tax_id')).toEqual([]);
  });
});
