import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type EuListed, euFile } from '../../../sandbox/upstreams/sanctions/eu.ts';
import type { CompanyKey } from '../../../src/domain/company.ts';
import { formatCnpj } from '../../../src/domain/tax-id.ts';
import { HOUR_MS, isoDate } from '../../../src/domain/time.ts';
import { monitorService } from '../../../src/modules/monitor/service/monitor.ts';
import { pageHeldChanges } from '../../../src/modules/monitor/store/held-changes.ts';
import { euConsolidated } from '../../../src/modules/sanctions/sources/eu-consolidated.ts';
import { nameView } from '../../../src/modules/sanctions/sources/name-view.ts';
import { type TestDb, testDb } from '../../support/db.ts';
import { until } from '../../support/until.ts';
import { type Reply, upstream } from '../../support/upstream.ts';
import { node, type TestRegistry, testRegistry } from './registry.ts';
import { changeLog, cnpj, companiesOf, watch } from './support.ts';

const NEVER = new AbortController().signal;
const LIST = 'EU_CONSOLIDATED';

/** A listed company with the CNPJ of company `n`. Its name is like that of nobody else. */
const party = (n: number, name = `ZUKAVO PEXLIM ${n} SA`, ...aliases: string[]): EuListed => ({
  id: 1_000 + n,
  kind: 'enterprise',
  programme: 'FICT',
  names: [name, ...aliases].map((whole) => ({ whole, language: 'EN', strong: true })),
  ids: [{ type: 'fiscalcode', number: formatCnpj(cnpj(n)), country: 'BR' }],
});
/** A list that grows or shrinks by more than some percent is refused, and one without other names. */
const UNRELATED = Array.from({ length: 1_500 }, (_, n) => party(20_000 + n, `QUODRA FENJUB ${n} GMBH`, `QUODRA ${n}`));

let db: TestDb;
let now: number;
let registry: TestRegistry;
beforeAll(async () => {
  db = await testDb();
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.knex.raw(
    'TRUNCATE accounts, api_keys, monitors, webhook_endpoints, watched_companies, changes, compared_lists, list_comparisons, held_changes CASCADE',
  );
  now = Date.parse('2026-11-21T00:00:00Z');
  registry = await testRegistry();
});

/** Creates a process with the list of the EU, whose versions the test publishes. The first version names no watched company. */
async function setup() {
  let reply: Reply = { status: 503, body: '' };
  const publisher = await upstream(() => reply);
  const { open, use } = node({ db: db.knex, registry, now: () => now, addresses: { QUIPU_EU_SANCTIONS_URL: `${publisher.url}/eu.xml` } });
  const { lists, checks, quarantine } = open(monitorService);
  const load = async (...parties: EuListed[]) => {
    now += HOUR_MS;
    reply = { body: euFile([...parties, ...UNRELATED], isoDate(now)), headers: { 'content-type': 'application/xml' } };
    expect(await use(euConsolidated).sync({ force: true })).toMatchObject({ outcome: 'loaded' });
    await use(euConsolidated).view(nameView);
    await until(async () => (await use(euConsolidated).view(nameView)).version.id === use(euConsolidated).version());
  };
  /** Compares as the tick does, until nothing is due. */
  const compare = async () => {
    for (let keys = await lists.pending(); keys.length > 0; keys = await lists.pending())
      for (const key of keys) await lists.compare(key, NEVER);
  };
  const publish = async (...parties: EuListed[]) => {
    await load(...parties);
    await compare();
  };
  const fail = async () => {
    reply = { status: 503, body: '' };
    now += HOUR_MS;
    expect(await use(euConsolidated).sync({ force: true })).toMatchObject({ outcome: 'refused' });
    await compare();
  };
  await load();
  return { load, publish, compare, fail, lists, checks, quarantine };
}

/** Creates a key of a new account that has chosen these lists. */
async function keyOf(lists: readonly string[], columns: 'lists' | 'verdict_lists' = 'lists'): Promise<string> {
  const [account] = await db.knex('accounts').insert({ name: randomUUID(), [columns]: lists, created_at: new Date() }, 'id');
  const id = randomUUID();
  await db.knex('api_keys').insert({ id, account_id: account.id, name: 'test', modules: ['monitor'] });
  return id;
}
const choose = (keyId: string, lists: readonly string[]) =>
  db
    .knex('accounts')
    .whereIn('id', db.knex('api_keys').where({ id: keyId }).select('account_id'))
    .update({ lists });

const published = async () =>
  (await changeLog(db.knex)).map(({ company, fields, source, keyId }) => [keyId, company.taxId, source, ...fields]);
const entries = (from: number, to: number) => ({ field: 'sanctions', list: LIST, from: String(from), to: String(to) });
const watchFor = (keyId: string, companies: readonly CompanyKey[], more = {}) => watch(db.knex, companies, { now, keyId, ...more });
const stored = async () => (await db.knex('watched_companies').orderBy('tax_id').pluck('listings')).map((one) => Object.keys(one));

describe('changes of a list that accounts choose', () => {
  it('are reported to the accounts that have chosen it, and to no other', async () => {
    const { publish, compare } = await setup();
    const [own, other] = [await keyOf([LIST]), await keyOf([])];
    await watchFor(own, companiesOf(2));
    await watchFor(other, companiesOf(3));
    await compare();
    await publish(party(0), party(2));
    expect(await published()).toEqual([[own, cnpj(0), LIST, entries(0, 1)]]);
    await publish(party(2));
    expect((await published()).slice(1)).toEqual([[own, cnpj(0), LIST, entries(1, 0)]]);
    expect(await stored()).toEqual([[LIST], [LIST], []]);
  });

  it('are not the entries that the list had when the account chose it, however many', async () => {
    const { publish, compare } = await setup();
    const own = await keyOf([]);
    await watchFor(own, companiesOf(600));
    await publish(...Array.from({ length: 300 }, (_, n) => party(n)));
    await choose(own, [LIST]);
    await compare();
    expect(await published()).toEqual([]);
    await publish(...Array.from({ length: 301 }, (_, n) => party(n)));
    expect(await published()).toEqual([[own, cnpj(300), LIST, entries(0, 1)]]);
  });

  it('are known from the choice on, also if the list was compared for another account before', async () => {
    const { publish, compare, lists } = await setup();
    const [first, second] = [await keyOf([LIST]), await keyOf([])];
    await watchFor(first, companiesOf(1));
    await watchFor(second, companiesOf(3));
    await compare();
    await publish(party(0), party(1));
    expect(await lists.pending()).toEqual([]);
    await choose(second, [LIST]);
    expect(await lists.pending()).toEqual([LIST]);
    await compare();
    expect(await published()).toEqual([[first, cnpj(0), LIST, entries(0, 1)]]);
    await publish(party(0), party(1), party(2));
    expect((await published()).slice(1)).toEqual([[second, cnpj(2), LIST, entries(0, 1)]]);
  });

  it('begin with a baseline for a monitor that is created later', async () => {
    const { publish, compare } = await setup();
    const own = await keyOf([LIST]);
    await watchFor(own, companiesOf(1));
    await publish(party(1));
    await watchFor(own, companiesOf(3).slice(1));
    await compare();
    expect(await published()).toEqual([]);
    await publish(party(1), party(2));
    expect(await published()).toEqual([[own, cnpj(2), LIST, entries(0, 1)]]);
  });

  it('are not made of what changed while nobody had chosen the list', async () => {
    const { publish, compare } = await setup();
    const own = await keyOf([LIST]);
    await watchFor(own, companiesOf(2));
    await compare();
    await choose(own, []);
    await compare();
    expect(await stored()).toEqual([[], []]);
    await publish(party(0), party(1));
    await choose(own, [LIST]);
    await compare();
    expect(await published()).toEqual([]);
    await publish(party(1));
    expect(await published()).toEqual([[own, cnpj(0), LIST, entries(1, 0)]]);
  });

  it('are reported to an account that has chosen the list for its verdicts', async () => {
    const { publish, compare } = await setup();
    const own = await keyOf([LIST], 'verdict_lists');
    await watchFor(own, companiesOf(1));
    await compare();
    await publish(party(0));
    expect(await published()).toEqual([[own, cnpj(0), LIST, entries(0, 1)]]);
  });

  it('are not reported while the list cannot be read', async () => {
    const { publish, compare, fail } = await setup();
    const own = await keyOf([LIST]);
    await watchFor(own, companiesOf(1));
    await compare();
    await publish(party(0));
    await fail();
    expect(await published()).toHaveLength(1);
  });

  it('are held when they are too many, and are shown and released to the accounts that have chosen the list', async () => {
    const { publish, compare, quarantine } = await setup();
    const [own, other] = [await keyOf([LIST]), await keyOf([])];
    await watchFor(own, companiesOf(50));
    await watchFor(other, companiesOf(50));
    await compare();
    await publish(...Array.from({ length: 20 }, (_, n) => party(n)));
    expect(await published()).toEqual([]);
    const heldFor = async (keyId: string) => (await pageHeldChanges(db.knex, [{ keyId, first: 100, after: null }]))[0]?.items.length;
    expect([await heldFor(own), await heldFor(other)]).toEqual([20, 0]);
    expect(await quarantine.release()).toBe(20);
    expect(new Set((await published()).map(([keyId]) => keyId))).toEqual(new Set([own]));
  });
});

describe('candidates on a list that accounts choose', () => {
  it('are reported to its monitors that report candidates, from the choice on', async () => {
    const { publish, compare, checks, lists } = await setup();
    const [own, other] = [await keyOf([]), await keyOf([])];
    for (const n of [0, 1]) registry.says.set(cnpj(n), { name: `ZUKAVO PEXLIM ${['KA', 'ZU'][n]} SA` });
    const named = (n: number) => party(30_000 + n, `ZUKAVO PEXLIM ${['KA', 'ZU'][n]} SA`);
    await watchFor(own, companiesOf(2), { candidateNews: true });
    await watchFor(other, companiesOf(2), { candidateNews: true });
    await publish(named(0));
    await choose(own, [LIST]);
    // The names are not known before the first check, so the baseline of candidates is still due.
    for (const _ of [1, 2]) for (const key of await lists.pending()) await lists.compare(key, NEVER);
    expect(await lists.pending()).toEqual([`${LIST}:candidate`]);
    await checks.check('BR', NEVER);
    await compare();
    expect(await published()).toEqual([]);
    await publish(named(0), named(1));
    expect(await published()).toEqual([[own, cnpj(1), LIST, expect.objectContaining({ field: 'candidate', list: LIST })]]);
  });
});
