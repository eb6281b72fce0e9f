import { expect, it, onTestFinished } from 'vitest';
import { HOUR_MS } from '../../../src/domain/time.ts';
import { ceis } from '../../../src/modules/debarment/source.ts';
import { monitorService } from '../../../src/modules/monitor/service/monitor.ts';
import { testDb } from '../../support/db.ts';
import { upstream } from '../../support/upstream.ts';
import { ceisFile, type Penalty } from './ceis-file.ts';
import { node, testRegistry } from './registry.ts';
import { changeLog, cnpj, companiesOf, watch } from './support.ts';

/** A held or discarded change of a list, and later versions with a row without a readable id, which may be its entry. */

const penalty = (n: number): Penalty => ({ cnpj: cnpj(n), code: '1', end: '10/01/2033' });
const UNREADABLE: Penalty = { cnpj: '700000', code: '9', end: '10/01/2033' };
const OTHERS = Array.from({ length: 150 }, (_, i) => penalty(1_000 + i));

/** Creates one watched company, of which the list has `first`, and a guard that holds each change. */
async function setup(...first: Penalty[]) {
  const db = await testDb();
  onTestFinished(() => db.close());
  let now = Date.parse('2026-11-21T00:00:00Z');
  let file = ceisFile([...first, ...OTHERS]);
  const publisher = await upstream(() => ({ body: file, headers: { 'content-type': 'text/csv' } }));
  const registry = await testRegistry();
  const settings = { QUIPU_MONITOR_GUARD_MIN: '1' };
  const { open, use } = node({
    db: db.knex,
    registry,
    now: () => now,
    settings,
    addresses: { QUIPU_CEIS_URL: `${publisher.url}/ceis.csv` },
  });
  const { lists, quarantine, checks } = open(monitorService);
  const publish = async (...penalties: Penalty[]) => {
    file = ceisFile([...penalties, ...OTHERS]);
    now += HOUR_MS;
    expect(await use(ceis).sync({ force: true })).toMatchObject({ outcome: 'loaded' });
    for (const list of await lists.pending()) await lists.compare(list, new AbortController().signal);
  };
  await use(ceis).sync({ force: true });
  await watch(db.knex, companiesOf(1), { now });
  await checks.check('BR', new AbortController().signal);
  for (const list of await lists.pending()) await lists.compare(list, new AbortController().signal);
  const held = async () => (await quarantine.list({ limit: 9 })).map(({ fields }) => fields[0]?.to);
  const published = async () => (await changeLog(db.knex)).map(({ fields }) => fields[0]?.to);
  return { publish, quarantine, held, published };
}

it.each<[string, readonly Penalty[], readonly Penalty[], string]>([
  ['an entry that is new', [], [penalty(0)], '1'],
  ['an entry that is gone', [penalty(0)], [], '0'],
])('a held change of %s is kept until a version without such a row', async (_, before, after, to) => {
  const { publish, held, published } = await setup(...before);
  await publish(...after);
  expect(await held()).toEqual([to]);
  await publish(UNREADABLE);
  expect([await held(), await published()]).toEqual([[to], []]);
  await publish(...before);
  expect([await held(), await published()]).toEqual([[], []]);
});

it.each<[string, readonly Penalty[], readonly Penalty[]]>([
  ['an entry that is new', [], [penalty(0)]],
  ['an entry that is gone', [penalty(0)], []],
])('a discarded change of %s is not held again after a version with such a row', async (_, before, after) => {
  const { publish, quarantine, held, published } = await setup(...before);
  await publish(...after);
  expect(await quarantine.discard()).toBe(1);
  await publish(UNREADABLE);
  await publish(...after, ...OTHERS.slice(0, 1));
  expect([await held(), await published()]).toEqual([[], []]);
});
