import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../../src/domain/time.ts';
import { monitorService } from '../../../src/modules/monitor/service/monitor.ts';
import { opencnpj, partner } from '../../sources/receita-answers.ts';
import { type TestDb, testDb } from '../../support/db.ts';
import { upstream } from '../../support/upstream.ts';
import { answer, node, type TestRegistry, testRegistry } from './registry.ts';
import { changeLog, cnpj, companiesOf, deleteMonitors, watch } from './support.ts';

const START = Date.parse('2026-11-21T00:00:00Z');
const NEVER = new AbortController().signal;
let db: TestDb;
let now: number;
let registry: TestRegistry;
beforeAll(async () => {
  db = await testDb();
});
afterAll(() => db.close());
beforeEach(async () => {
  await deleteMonitors(db.knex);
  now = START;
  registry = await testRegistry();
});

/** Creates watched companies with their baseline, and a function that checks them one interval later. */
async function watched(count: number, addresses: Readonly<Record<string, string>> = {}) {
  const { open } = node({ db: db.knex, registry, now: () => now, addresses });
  const id = await watch(db.knex, companiesOf(count), { now });
  const checkLater = async (ms = 6 * HOUR_MS) => {
    now += ms;
    await open(monitorService).checks.check('BR', NEVER);
  };
  await checkLater();
  return { id, open, checkLater };
}
/** Makes the registry answer for company `n` with other fields. */
const say = (n: number, fields: object) => registry.says.set(cnpj(n), { reply: { body: { ...answer(cnpj(n)), ...fields } } });
const changes = async () => (await changeLog(db.knex)).map(({ company, fields }) => [company.taxId, fields]);
const held = async () => (await db.knex('held_changes').orderBy('tax_id')).map(({ reason }) => reason);
const snapshotOf = async (n: number) =>
  (
    await db
      .knex('watched_companies')
      .where({ tax_id: cnpj(n) })
      .first('snapshot')
  ).snapshot;
const OTHER = { ...partner, nome_socio: 'JOSE EXEMPLO', cnpj_cpf_do_socio: '***000101**' };
const BOTH = { razao_social: 'ACME  MODELO LTDA', capital_social: 1_061_004_800 };

describe('the registry record of a watched company', () => {
  it('is reported in one change, and no call is made for it', async () => {
    say(0, { capital_social: 1000, situacao_especial: '' });
    const { checkLater } = await watched(2);
    say(0, {
      razao_social: 'ACME NOVA LTDA',
      capital_social: 2500.5,
      municipio: 'MACAPA',
      situacao_especial: 'RECUPERACAO JUDICIAL',
      qsa: [OTHER],
    });
    await checkLater();
    expect(await changes()).toEqual([
      [
        cnpj(0),
        [
          { field: 'name', from: 'ACME LTDA', to: 'ACME NOVA LTDA' },
          { field: 'owners', from: 'MARIA MODELO (***456789**)', to: 'JOSE EXEMPLO (***000101**)' },
          { field: 'capital', from: '1000', to: '2500.5' },
          { field: 'address', from: 'MAZAGAO/AP', to: 'MACAPA/AP' },
          { field: 'special_situation', from: null, to: 'RECUPERACAO JUDICIAL' },
        ],
      ],
    ]);
    expect([...registry.calls().values()]).toEqual([2, 2]);
    await checkLater();
    expect(await changes()).toHaveLength(1);
  });

  it('of a snapshot of the release before is stored without a change, and compared from then on', async () => {
    const { checkLater } = await watched(1);
    await db.knex.raw(`UPDATE watched_companies SET snapshot = '{"status": "active", "size": "small", "activity": "Padaria"}'`);
    await checkLater();
    expect([await changes(), await held()]).toEqual([[], []]);
    expect(await snapshotOf(0)).toMatchObject({ name: 'ACME LTDA', address: 'MAZAGAO/AP' });
    registry.says.set(cnpj(0), { name: 'ACME NOVA LTDA' });
    await checkLater();
    expect(await changes()).toEqual([[cnpj(0), [{ field: 'name', from: 'ACME LTDA', to: 'ACME NOVA LTDA' }]]]);
  });

  it('has no change while the registry fails, and keeps its snapshot', async () => {
    const { checkLater } = await watched(1);
    const before = await snapshotOf(0);
    registry.reply = () => ({ status: 502, body: {} });
    await checkLater();
    expect([await changes(), await held(), await snapshotOf(0)]).toEqual([[], [], before]);
  });

  it('never has the CPF of a partner, whatever the registry states', async () => {
    const { checkLater } = await watched(1);
    say(0, { qsa: [{ ...partner, nome_socio: 'ANA 529.982.247-25 TESTE', cnpj_cpf_do_socio: '52998224725' }] });
    await checkLater();
    const stored = JSON.stringify([await changes(), await snapshotOf(0)]);
    expect(stored).toContain('***982247**');
    expect(stored).not.toMatch(/529\.?982\.?247-?25/);
  });

  it('whose partners are unknown for some time is compared with the last known ones', async () => {
    say(0, { qsa: [partner] });
    const { checkLater } = await watched(1);
    say(0, { qsa: [{ ...partner, nome_socio: '' }] });
    await checkLater();
    expect(await changes()).toEqual([]);
    say(0, { qsa: [OTHER, partner] });
    await checkLater();
    expect(await changes()).toEqual([[cnpj(0), [{ field: 'owners', from: null, to: 'JOSE EXEMPLO (***000101**)' }]]]);
  });
});

/** The same company as three mirrors write it. */
const MIRRORS: Readonly<Record<string, { readonly setting: 'first' | 'second'; readonly body: object }>> = {
  'minha-receita': { setting: 'first', body: { ...answer(cnpj(0)), ...BOTH, cnae_fiscal: 220903, qsa: [partner, OTHER] } },
  BrasilAPI: {
    setting: 'first',
    body: {
      ...answer(cnpj(0)),
      cnae_fiscal: 220903,
      razao_social: 'ACME MODELO LTDA',
      capital_social: '1061004829.23',
      municipio: 'Mazagão',
      qsa: [
        { ...OTHER, nome_socio: 'JOSÉ  EXEMPLO' },
        { ...partner, nome_socio: 'Maria Modelo' },
      ],
    },
  },
  OpenCNPJ: {
    setting: 'second',
    body: {
      ...opencnpj,
      cnpj: cnpj(0),
      razao_social: 'ACME MODELO  LTDA',
      capital_social: '1061004829,23',
      porte_empresa: 'Microempresa (ME)',
      QSA: [...opencnpj.QSA, { ...opencnpj.QSA[0], nome_socio: 'JOSE EXEMPLO', cnpj_cpf_socio: '***000101**' }],
    },
  },
};
const PAIRS = Object.keys(MIRRORS).flatMap((one) =>
  Object.keys(MIRRORS).flatMap((other) => (one === other ? [] : [[one, other] as const])),
);

describe('another mirror of the registry', () => {
  it.each(PAIRS)('causes no change: %s, then %s', async (...pair) => {
    let current: string = pair[0];
    const body = (of: 'first' | 'second') => {
      const mirror = MIRRORS[current];
      return mirror?.setting === of ? { body: mirror.body } : { status: 502, body: {} };
    };
    const fallback = await upstream(() => body('second'));
    registry.reply = () => body('first');
    const { checkLater } = await watched(1, { QUIPU_RECEITA_FALLBACK_URL: fallback.url });
    const before = await snapshotOf(0);
    expect(before).toMatchObject({ status: 'active', owners: { count: 2 } });
    current = pair[1];
    await checkLater();
    expect([await changes(), await held()]).toEqual([[], []]);
    expect((await db.knex('watched_companies').first('failures')).failures).toBe(0);
    expect(await snapshotOf(0)).toEqual(before);
  });
});

describe('the guard of mass changes', () => {
  it('holds a month in which all partners are other ones, for an operator', async () => {
    const { checkLater, open } = await watched(40);
    for (let n = 0; n < 40; n += 1) say(n, { qsa: [OTHER] });
    await checkLater();
    expect([await held(), await changes()]).toEqual([Array(40).fill('share'), []]);
    expect(await open(monitorService).quarantine.release({ field: 'owners' })).toBe(40);
    expect(await changes()).toHaveLength(40);
  });

  it('holds a month in which all names are one text', async () => {
    const { checkLater } = await watched(40);
    registry.reply = (taxId) => ({ body: { ...answer(taxId), razao_social: 'NOME NAO INFORMADO' } });
    await checkLater();
    expect([await held(), await changes()]).toEqual([Array(40).fill('share'), []]);
    expect((await snapshotOf(0)).name).toBe('ACME LTDA');
  });

  it('holds a month in which all names are blank, or fails its checks', async () => {
    const { checkLater } = await watched(40);
    registry.reply = (taxId) => ({ body: { ...answer(taxId), razao_social: '' } });
    await checkLater();
    const failures = await db.knex('watched_companies').where('failures', '>', 0);
    expect((await held()).length + failures.length).toBe(40);
    expect(await changes()).toEqual([]);
    expect((await snapshotOf(0)).name).toBe('ACME LTDA');
  });

  it('holds the loss of all partners until a second check', async () => {
    say(0, { codigo_natureza_juridica: 2062, qsa: [partner] });
    const { checkLater } = await watched(9);
    say(0, { codigo_natureza_juridica: 2135, qsa: [] });
    await checkLater();
    expect([await held(), await changes()]).toEqual([['blank'], []]);
    await checkLater(HOUR_MS);
    expect([await held(), await changes()]).toEqual([[], [[cnpj(0), [{ field: 'owners', from: 'MARIA MODELO (***456789**)', to: '' }]]]]);
  });
});
