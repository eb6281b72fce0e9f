import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../../src/domain/time.ts';
import { ceis, ceisSpec } from '../../../src/modules/debarment/source.ts';
import { monitorService } from '../../../src/modules/monitor/service/monitor.ts';
import { type TestDb, testDb } from '../../support/db.ts';
import { upstream } from '../../support/upstream.ts';
import { node, type TestRegistry, testRegistry } from './registry.ts';
import { brazilian, changeLog, cnpj, companiesOf, watch } from './support.ts';

const NEVER = new AbortController().signal;
const HEADER = [
  'CADASTRO',
  'CÓDIGO DA SANÇÃO',
  'TIPO DE PESSOA',
  'CPF OU CNPJ DO SANCIONADO',
  'NOME DO SANCIONADO',
  'NÚMERO DO PROCESSO',
  'CATEGORIA DA SANÇÃO',
  'DATA INÍCIO SANÇÃO',
  'DATA FINAL SANÇÃO',
  'ÓRGÃO SANCIONADOR',
];
const BYSTANDER = cnpj(9_999);

interface Penalty {
  readonly cnpj: string;
  readonly code: string;
  readonly end?: string;
}
const penalty = (n: number, code = '1', end = '10/01/2033'): Penalty => ({ cnpj: cnpj(n), code, end });

const ceisCsv = (penalties: readonly Penalty[]): Buffer => {
  const rows = penalties.map(({ cnpj, code, end = '' }) => [
    'CEIS',
    code,
    'J',
    cnpj,
    'FICTÍCIA',
    '1/2023',
    'Suspensão',
    '10/01/2023',
    end,
    'Prefeitura',
  ]);
  return Buffer.from([HEADER, ...rows].map((cells) => cells.map((cell) => `"${cell}"`).join(';')).join('\r\n'), 'latin1');
};

let db: TestDb;
let now: number;
let registry: TestRegistry;
beforeAll(async () => {
  db = await testDb();
});
afterAll(() => db.close());
beforeEach(async () => {
  await db.knex.raw('TRUNCATE monitors, watched_companies, changes, deliveries, delivery_partitions, compared_lists CASCADE');
  now = Date.parse('2026-11-21T00:00:00Z');
  registry = await testRegistry();
});

/** A process with a CEIS of which editions are published, the first of them with nobody who is watched. */
async function setup() {
  let file = ceisCsv([{ cnpj: BYSTANDER, code: '1' }]);
  const publisher = await upstream(() => ({ body: file, headers: { 'content-type': 'text/csv' } }));
  const { open, use } = node({ db: db.knex, registry, now: () => now, addresses: { QUIPU_CEIS_URL: `${publisher.url}/ceis.csv` } });
  const publish = async (...penalties: Penalty[]) => {
    file = ceisCsv([...penalties, { cnpj: BYSTANDER, code: '1' }]);
    now += HOUR_MS;
    expect(await use(ceis).sync({ force: true })).toMatchObject({ outcome: 'loaded' });
    return compare();
  };
  const lists = open(monitorService).lists;
  const compare = async () => {
    for (const list of await lists.pending()) await lists.compare(list);
  };
  await use(ceis).sync({ force: true });
  return { publish, compare, lists, sweep: open(monitorService).checks, guard: open(monitorService).quarantine, use };
}

const told = async () => (await changeLog(db.knex)).map(({ company, fields, source }) => [company.taxId, source, ...fields]);
const debarment = (from: number, to: number) => ({ field: 'debarment', list: 'CEIS', from: String(from), to: String(to) });

describe('news of a list', () => {
  it('tell the watched companies that an edition names, those it names otherwise, and those it names no longer', async () => {
    const { publish, sweep } = await setup();
    await watch(db.knex, companiesOf(5), { now });
    await sweep.check('BR', NEVER);
    await publish(penalty(0), penalty(1));
    expect(await told()).toEqual([0, 1].map((n) => [cnpj(n), 'CEIS', debarment(0, 1)]));
    await publish(penalty(0), penalty(1, '1', '31/12/2040'));
    expect((await told()).slice(2)).toEqual([[cnpj(1), 'CEIS', debarment(1, 1)]]);
    await publish(penalty(1, '1', '31/12/2040'), penalty(1, '2'));
    expect((await told()).slice(3)).toEqual([
      [cnpj(0), 'CEIS', debarment(1, 0)],
      [cnpj(1), 'CEIS', debarment(1, 2)],
    ]);
  });

  it('are none for what is listed when the watch begins', async () => {
    const { publish, sweep } = await setup();
    await publish(penalty(0));
    await watch(db.knex, companiesOf(2), { now });
    await sweep.check('BR', NEVER);
    await publish(penalty(0), penalty(1));
    expect(await told()).toEqual([[cnpj(1), 'CEIS', debarment(0, 1)]]);
  });

  it('are none at the first look at a company that was not checked yet', async () => {
    const { publish } = await setup();
    await watch(db.knex, companiesOf(1), { now });
    await publish(penalty(0));
    expect(await told()).toEqual([]);
    await publish();
    expect(await told()).toEqual([[cnpj(0), 'CEIS', debarment(1, 0)]]);
  });

  it('reach the webhooks of those monitors alone that asked for them', async () => {
    const { publish, sweep } = await setup();
    const asked = await watch(db.knex, companiesOf(1), { now, listNews: true });
    await watch(db.knex, companiesOf(1), { now });
    await sweep.check('BR', NEVER);
    await publish(penalty(0));
    expect(await changeLog(db.knex)).toHaveLength(2);
    expect(await db.knex('deliveries').select('monitor_id')).toEqual([{ monitor_id: asked }]);
  });

  it('are looked for once an edition, and asked for by the tick', async () => {
    const { publish, sweep, lists } = await setup();
    expect(await lists.pending()).toEqual(['CEIS']);
    await sweep.tick();
    await sweep.tick();
    const jobs = await db.knex('graphile_worker.jobs').where({ task_identifier: 'monitor.list' });
    expect(jobs).toHaveLength(1);
    await publish(penalty(0));
    expect(await lists.pending()).toEqual([]);
  });

  it('are told once when the comparison is done twice', async () => {
    const { publish, sweep, compare } = await setup();
    await watch(db.knex, companiesOf(1), { now });
    await sweep.check('BR', NEVER);
    await publish(penalty(0));
    await db.knex('compared_lists').update({ version: 'another' });
    await compare();
    expect(await told()).toHaveLength(1);
  });

  it('are none when our own reading changed', async () => {
    const { publish, sweep } = await setup();
    await watch(db.knex, companiesOf(1), { now });
    await sweep.check('BR', NEVER);
    await publish(penalty(0));
    await db.knex('compared_lists').update({ schema_version: ceisSpec.schemaVersion - 1 });
    await publish(penalty(0), penalty(0, '2'));
    expect(await told()).toHaveLength(1);
    await publish(penalty(0), penalty(0, '2'), penalty(0, '3'));
    expect((await told()).slice(1)).toEqual([[cnpj(0), 'CEIS', debarment(2, 3)]]);
  });

  it('are held when too many companies appear at once, and told when released', async () => {
    const { publish, sweep, guard } = await setup();
    await watch(db.knex, companiesOf(50), { now });
    await sweep.check('BR', NEVER);
    await publish(...Array.from({ length: 20 }, (_, n) => penalty(n)));
    expect(await told()).toEqual([]);
    expect(await guard.counts()).toEqual([{ source: 'CEIS', field: 'debarment', reason: 'share', count: 20 }]);
    registry.says.set(cnpj(40), { active: false });
    now += 6 * HOUR_MS;
    await sweep.check('BR', NEVER);
    expect((await told()).map(([taxId]) => taxId)).toEqual([cnpj(40)]);
    expect(await guard.release({ source: 'CEIS' })).toBe(20);
    expect((await told()).slice(1)).toEqual(companiesOf(20).map(({ taxId }) => [taxId, 'CEIS', debarment(0, 1)]));
  });

  it('are none while a list keeps saying what was discarded', async () => {
    const { publish, sweep, guard } = await setup();
    await watch(db.knex, companiesOf(50), { now });
    await sweep.check('BR', NEVER);
    const mass = Array.from({ length: 20 }, (_, n) => penalty(n));
    await publish(...mass);
    expect(await guard.discard({ companies: companiesOf(20).map(({ taxId }) => brazilian(taxId)) })).toBe(20);
    await publish(...mass, penalty(30));
    expect(await told()).toEqual([[cnpj(30), 'CEIS', debarment(0, 1)]]);
    await publish();
    await publish(penalty(0));
    expect((await told()).slice(1)).toEqual([
      [cnpj(30), 'CEIS', debarment(1, 0)],
      [cnpj(0), 'CEIS', debarment(0, 1)],
    ]);
  });
});
