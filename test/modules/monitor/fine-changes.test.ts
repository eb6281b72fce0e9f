import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { CompanyKey } from '../../../src/domain/company.ts';
import { nitCheckDigit } from '../../../src/domain/tax-id.ts';
import { HOUR_MS } from '../../../src/domain/time.ts';
import { multasSecopI } from '../../../src/modules/debarment/sources/multas-secop-i.ts';
import { monitorService } from '../../../src/modules/monitor/service/monitor.ts';
import { type TestDb, testDb } from '../../support/db.ts';
import { type Reply, upstream } from '../../support/upstream.ts';
import { node } from './registry.ts';
import { changeLog, companiesOf, watch } from './support.ts';

const NEVER = new AbortController().signal;
const LIST = 'MULTAS_SECOP_I';

const base = (n: number): string => String(999_100_000 + n);
const colombian = (n: number): CompanyKey => ({ country: 'CO', taxId: base(n) + nitCheckDigit(base(n)) });
const colombians = (count: number): readonly CompanyKey[] => Array.from({ length: count }, (_, n) => colombian(n));

/** A fine of the table. */
interface Fine {
  readonly document: string;
  readonly name?: string;
  readonly contract?: string;
  readonly amount?: string;
}

const fine = (n: number, more: Partial<Fine> = {}): Fine => ({ document: base(n), ...more });
/** Fines of others. Without them, one fine without a readable document would be too many of all. */
const OTHERS = Array.from({ length: 60 }, (_, n) => fine(50_000 + n));

const row = ({ document, name = 'CONTRATISTA CUALQUIERA', contract = 'C-1', amount = '1000' }: Fine) => ({
  nombre_entidad: 'MUNICIPIO DE MACONDO',
  nit_entidad: '999500001',
  numero_de_resolucion: 'RESOLUCION 1',
  documento_contratista: document,
  nombre_contratista: name,
  numero_de_contrato: contract,
  valor_sancion: amount,
  fecha_de_publicacion: '2026-10-01T00:00:00.000',
  fecha_de_firmeza: '2026-10-20T00:00:00.000',
});
const tableOf = (fines: readonly Fine[]): Reply => ({
  body: JSON.stringify([...OTHERS, ...fines].map(row)),
  headers: { 'content-type': 'application/json' },
});

let db: TestDb;
let now: number;
beforeAll(async () => {
  db = await testDb();
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.knex.raw('TRUNCATE monitors, watched_companies, changes, compared_lists, list_comparisons, held_changes CASCADE');
  now = Date.parse('2026-11-21T00:00:00Z');
});

/** Creates a process with a table of fines whose versions the test publishes. The first version names no watched company. */
async function setup() {
  let reply: Reply = tableOf([]);
  const portal = await upstream(() => reply);
  const { open, use } = node({ db: db.knex, now: () => now, addresses: { QUIPU_MULTAS_SECOP_I_URL: `${portal.url}/4n4q-k399.json` } });
  const { lists, quarantine } = open(monitorService);
  const compare = async () => {
    for (const key of await lists.pending()) await lists.compare(key, NEVER);
  };
  /** Syncs the answer of the portal and compares. Returns the outcome of the sync. */
  const answer = async (next: Reply) => {
    reply = next;
    now += HOUR_MS;
    const { outcome } = await use(multasSecopI).sync();
    await compare();
    return outcome;
  };
  const publish = async (...fines: Fine[]) => expect(await answer(tableOf(fines))).toBe('loaded');
  await use(multasSecopI).sync();
  return { answer, publish, compare, lists, quarantine };
}

const published = async () => (await changeLog(db.knex)).map(({ company, fields, source }) => [company.taxId, source, ...fields]);
const fines = (from: number, to: number) => ({ field: 'contract_fines', list: LIST, from: String(from), to: String(to) });
const name = (n: number, ...names: string[]) =>
  db
    .knex('watched_companies')
    .where({ tax_id: colombian(n).taxId })
    .update({ names });

describe('changes of contract fines', () => {
  it('are published for Colombian companies that get a fine, whose fine changes or leaves the table', async () => {
    const { publish, compare } = await setup();
    await watch(db.knex, colombians(3), { now });
    await compare();
    await publish(fine(0), fine(1));
    expect(await published()).toEqual([0, 1].map((n) => [colombian(n).taxId, LIST, fines(0, 1)]));
    await publish(fine(0), fine(0, { contract: 'C-2' }), fine(1, { amount: '2000' }));
    expect((await published()).slice(2)).toEqual([
      [colombian(0).taxId, LIST, fines(1, 2)],
      [colombian(1).taxId, LIST, fines(1, 1)],
    ]);
    await publish(fine(0));
    expect((await published()).slice(4)).toEqual([
      [colombian(0).taxId, LIST, fines(2, 1)],
      [colombian(1).taxId, LIST, fines(1, 0)],
    ]);
  });

  it('are not published for fines that the table had when the company was first compared', async () => {
    const { publish } = await setup();
    await watch(db.knex, colombians(2), { now });
    await publish(fine(0));
    expect(await published()).toEqual([]);
    await publish(fine(0), fine(1));
    expect(await published()).toEqual([[colombian(1).taxId, LIST, fines(0, 1)]]);
  });

  it('are not published while the portal fails, and are published afterwards', async () => {
    const { answer, publish, compare, lists } = await setup();
    await watch(db.knex, colombians(1), { now });
    await compare();
    await publish(fine(0));
    const json = { 'content-type': 'application/json' };
    const failures: readonly Reply[] = [
      { status: 503, body: 'maintenance' },
      { body: '<html>maintenance</html>', headers: { 'content-type': 'text/html' } },
      { body: '[]', headers: json },
      { body: JSON.stringify(OTHERS.map(({ document }) => ({ nit: document }))), headers: json },
      { body: JSON.stringify(OTHERS.slice(0, 10).map(row)), headers: json },
    ];
    for (const failure of failures) {
      await answer(failure);
      expect(await lists.pending()).toEqual([]);
    }
    expect(await published()).toHaveLength(1);
    await publish();
    expect((await published()).slice(1)).toEqual([[colombian(0).taxId, LIST, fines(1, 0)]]);
  });

  it('say that a fine has gone only if no fine without a known contractor may be about the company', async () => {
    const { publish, compare } = await setup();
    await watch(db.knex, colombians(3), { now });
    await name(0, 'OBRAS DEL RIO S.A.S.');
    await name(1, 'PAPELERIA LUNA LTDA');
    await compare();
    await publish(fine(0), fine(1), fine(2));
    expect(await published()).toHaveLength(3);
    await publish(fine(0, { document: '999', name: 'OBRAS DEL RÍO SAS' }));
    expect((await published()).slice(3)).toEqual([[colombian(1).taxId, LIST, fines(1, 0)]]);
    await publish();
    expect((await published()).slice(4)).toEqual([0, 2].map((n) => [colombian(n).taxId, LIST, fines(1, 0)]));
  });

  it('count each fine once if one changes while another one may be a fine without a known contractor', async () => {
    const { publish, compare } = await setup();
    await watch(db.knex, colombians(1), { now });
    await name(0, 'OBRAS DEL RIO S.A.S.');
    await compare();
    await publish(fine(0), fine(0, { contract: 'C-2' }));
    await publish(fine(0, { amount: '2000' }), fine(0, { document: '999', name: 'OBRAS DEL RÍO SAS' }));
    expect((await published()).slice(1)).toEqual([[colombian(0).taxId, LIST, fines(2, 2)]]);
    await publish(fine(0, { amount: '2000' }));
    expect((await published()).slice(2)).toEqual([[colombian(0).taxId, LIST, fines(2, 1)]]);
  });

  it('are held when too many of the Colombian companies get a fine at once, however many others are watched', async () => {
    const { publish, compare, quarantine } = await setup();
    await watch(db.knex, colombians(50), { now });
    await watch(db.knex, companiesOf(1_000), { now });
    await compare();
    await publish(...Array.from({ length: 20 }, (_, n) => fine(n)));
    expect(await published()).toEqual([]);
    expect(await quarantine.counts()).toEqual([{ source: LIST, field: 'contract_fines', reason: 'share', count: 20 }]);
    expect(await quarantine.release({ source: LIST })).toBe(20);
    expect(await published()).toHaveLength(20);
  });

  it('are stored for Colombian companies alone, which no list of Brazil is stored for', async () => {
    const { publish } = await setup();
    await watch(db.knex, [...colombians(1)], { now });
    await watch(db.knex, companiesOf(1), { now });
    await publish(fine(0));
    const stored = await db.knex('watched_companies').orderBy('country').select('country', 'listings');
    expect(stored.map(({ country, listings }) => [country, Object.keys(listings ?? {})])).toEqual([
      ['BR', []],
      ['CO', [LIST]],
    ]);
  });
});
