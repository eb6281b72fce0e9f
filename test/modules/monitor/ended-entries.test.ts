import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { firm, worldBankFile } from '../../../sandbox/upstreams/sanctions/world-bank.ts';
import { DAY_MS, isoDate } from '../../../src/domain/time.ts';
import { bcbProibidos } from '../../../src/modules/debarment/sources/bcb-proibidos.ts';
import { monitorService } from '../../../src/modules/monitor/service/monitor.ts';
import { nameView } from '../../../src/modules/sanctions/sources/name-view.ts';
import { worldBank } from '../../../src/modules/sanctions/sources/world-bank.ts';
import type { RegistrySource } from '../../../src/sources/registry/registry.ts';
import { type TestDb, testDb } from '../../support/db.ts';
import { until } from '../../support/until.ts';
import { upstream } from '../../support/upstream.ts';
import { node, type TestRegistry, testRegistry } from './registry.ts';
import { changeLog, cnpj, companiesOf, watch } from './support.ts';

const NEVER = new AbortController().signal;
const NAMES = ['ZUKAVO PEXLIM SA', 'TRIQUO DRAFEN LTDA'];

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
  now = Date.parse('2026-11-21T12:00:00Z');
  registry = await testRegistry();
  for (const [n, name] of NAMES.entries()) registry.says.set(cnpj(n), { name });
});

const inDays = (days: number): string => isoDate(now + days * DAY_MS);

/** Watches two companies for an account that has chosen a list. */
async function watchFor(list: string): Promise<void> {
  const [account] = await db.knex('accounts').insert({ name: randomUUID(), lists: [list], created_at: new Date() }, 'id');
  const keyId = randomUUID();
  await db.knex('api_keys').insert({ id: keyId, account_id: account.id, name: 'test', modules: ['monitor'] });
  await watch(db.knex, companiesOf(2), { now, keyId, candidateNews: true });
}

/** Creates a process with one chosen list, whose versions the test publishes, and two watched companies. */
async function setup(source: RegistrySource<unknown>, setting: string, path: string) {
  let body = '';
  // The list of disqualified people beside that of prohibited companies is empty.
  const publisher = await upstream((asked) => ({
    body: asked.includes('Inabilitados') ? '{"value":[]}' : body,
    headers: { 'content-type': 'application/json' },
  }));
  const addresses = { [setting]: `${publisher.url}${path}` };
  const { open, use } = node({ db: db.knex, registry, now: () => now, addresses });
  const { lists, checks } = open(monitorService);
  const compare = async () => {
    for (let keys = await lists.pending(); keys.length > 0; keys = await lists.pending())
      for (const key of keys) await lists.compare(key, NEVER);
  };
  const publish = async (text: string) => {
    body = text;
    now += DAY_MS;
    expect(await use(source).sync({ force: true })).toMatchObject({ outcome: 'loaded' });
    if (source === worldBank) await until(async () => (await use(worldBank).view(nameView)).version.id === use(worldBank).version());
    await compare();
  };
  const begin = async (text: string) => {
    await publish(text);
    await watchFor(source.name);
    await checks.check('BR', NEVER);
    await compare();
  };
  return { begin, publish };
}

const published = async () => (await changeLog(db.knex)).map(({ company, fields }) => [company.taxId, ...fields]);

describe('candidates on the list of the World Bank', () => {
  const open = () => setup(worldBank, 'QUIPU_WORLD_BANK_URL', '/SANCTIONED_FIRM');
  /** The list with other firms, and with a firm of the name of each company that ends on this day. */
  const file = (...ends: string[]) =>
    worldBankFile(
      [
        ...ends.map((end, n) => firm(900_001 + n, NAMES[n] ?? '', ['BR', 'Brazil'], end)),
        ...Array.from({ length: 5 }, (_, n) => firm(910_000 + n, `QUODRA FENJUB ${n} GMBH`, ['DE', 'Germany'], '2999-12-31')),
      ],
      isoDate(now),
    );

  it('are no debarments that have ended, through the last day they are', async () => {
    const { begin, publish } = await open();
    await begin(file());
    await publish(file(inDays(0), inDays(1))); // on the day after today: the first ended yesterday, the second ends on that day
    expect(await published()).toEqual([[cnpj(1), expect.objectContaining({ field: 'candidate', from: '0', to: '1' })]]);
  });

  it('that have ended are reported when the debarment is prolonged, and not when it ends', async () => {
    const { begin, publish } = await open();
    await begin(file(inDays(2)));
    now += 3 * DAY_MS;
    await publish(file(inDays(-1)));
    expect(await published()).toEqual([]);
    await publish(file(inDays(90)));
    expect(await published()).toEqual([[cnpj(0), expect.objectContaining({ field: 'candidate', from: '0', to: '1' })]]);
  });
});

describe('entries on a list of bans that an account chooses', () => {
  const open = () => setup(bcbProibidos, 'QUIPU_BCB_URL', '/odata/QuadroGeralProibidos');
  const row = (n: number, end: string | null) => ({
    PAS: String(1_600_000 + n),
    Nome: `AUDITORIA ${n} LTDA`,
    CPF_CNPJ: cnpj(n),
    Penalidade: 'Proibição',
    Prazo_em_anos: 4,
    Inicio_do_cumprimento: '2022-01-15',
    Prazo_final_penalidade: end,
  });
  /** The list with other companies, and with each company whose penalty ends on this day. */
  const file = (...ends: (string | null)[]) =>
    JSON.stringify({ value: [...ends.map((end, n) => row(n, end)), ...Array.from({ length: 30 }, (_, n) => row(100 + n, '2035-01-01'))] });

  it('count until they have ended', async () => {
    const { begin, publish } = await open();
    await begin(file());
    await publish(file(inDays(0), inDays(30)));
    const entries = (from: number, to: number) => ({ field: 'debarment', list: 'BCB_PROIBIDOS', from: String(from), to: String(to) });
    expect(await published()).toEqual([[cnpj(1), entries(0, 1)]]);
    now += 30 * DAY_MS;
    await publish(file('2022-01-01', '2026-12-22'));
    expect((await published()).slice(1)).toEqual([[cnpj(1), entries(1, 0)]]);
  });
});
