import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { isoDate, MINUTE_MS } from '../../../src/domain/time.ts';
import { monitorService } from '../../../src/modules/monitor/service/monitor.ts';
import { importFolder } from '../../../src/sources/receita-federal/copy/import.ts';
import {
  type Cells,
  cnpjOf,
  company,
  dateInNames,
  establishment,
  type Files,
  folderOf,
  monthOf,
  partner,
  rowsOf,
} from '../../sources/receita-copy/support.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { COPY_MODE, importParts } from '../../support/registry-copy.ts';
import { brazilian, changeLog, deleteMonitors, watch } from './support.ts';

const NEVER = new AbortController().signal;
const ROOT = '99200000';
const [P, Q, R] = [partner(ROOT, 'PAULA'), partner(ROOT, 'QUINTINO', { 3: '***000202**' }), partner(ROOT, 'RITA', { 3: '***000303**' })];
const LOST_LINE = Q.with(0, '9920?000');
/** A sole trader, who has no partners. */
const SOLE = company(ROOT).with(2, '2135');

let app: TestApp;
let now: number;
let day: number;
beforeAll(async () => {
  now = Date.parse('2026-11-28T12:00:00Z');
  day = Date.parse('2026-10-01T12:00:00Z');
  app = await testApp({ env: { ...COPY_MODE, QUIPU_MONITOR_INTERVAL: '6h' }, now: () => now });
}, 60_000);
afterAll(() => app.close());
beforeEach(() => deleteMonitors(app.db));

/** Loads an extract with these partners of the company, and checks it. Returns the changes of its partners that were reported by then. */
async function checkAfter(partners: readonly Cells[], own: Cells = company(ROOT)): Promise<readonly unknown[]> {
  const month = monthOf(3);
  const files: Files = {
    ...month,
    Empresas0: [...rowsOf(month, 'Empresas0'), own],
    Estabelecimentos0: [...rowsOf(month, 'Estabelecimentos0'), establishment(ROOT)],
    Socios0: [...rowsOf(month, 'Socios0'), ...partners],
  };
  day += 24 * 60 * MINUTE_MS;
  await importFolder(await folderOf(files, dateInNames(isoDate(day))), importParts({ db: app.db, now: () => now }), { force: true });
  await check();
  return reported();
}

async function check(): Promise<void> {
  const { checks } = app.open(monitorService);
  for (let n = 0; n < 2; n += 1) {
    now += MINUTE_MS;
    await checks.tick();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  await app.db('watched_companies').update({ due_at: new Date(now) });
  await checks.check('BR', NEVER);
}

const reported = async () =>
  (await changeLog(app.db)).flatMap(({ fields }) => fields.map(({ field, from, to }) => (field === 'owners' ? [from, to] : field)));
const heldReasons = () => app.db('held_changes').pluck('reason');
const watched = async (partners: readonly Cells[]) => {
  await watch(app.db, [brazilian(cnpjOf(ROOT))], { now, recordNews: true });
  expect(await checkAfter(partners)).toEqual([]);
};

const [JOINED, LEFT] = [
  [null, 'RITA (***000303**)'],
  ['QUINTINO (***000202**)', null],
];

describe('a partner whose line the own copy of the registry has lost', () => {
  it('has not left, and has not joined in the next extract', async () => {
    await watched([P, Q]);
    expect(await checkAfter([P, LOST_LINE])).toEqual([]);
    expect(await checkAfter([P, LOST_LINE])).toEqual([]);
    expect(await checkAfter([P, Q])).toEqual([]);
  });

  it('has left if the next extract without a lost line has no such partner', async () => {
    await watched([P, Q]);
    expect(await checkAfter([P, LOST_LINE])).toEqual([]);
    expect(await checkAfter([P])).toEqual([LEFT]);
  });

  it('hides no partner who joins, once', async () => {
    await watched([P, Q]);
    expect(await checkAfter([P, R, LOST_LINE])).toEqual([JOINED]);
    expect(await checkAfter([P, R, LOST_LINE])).toEqual([JOINED]);
    expect(await checkAfter([P, Q, R])).toEqual([JOINED]);
    expect(await checkAfter([P, R])).toEqual([JOINED, LEFT]);
  });

  it('hides no other change of the company', async () => {
    await watched([P, Q]);
    expect(await checkAfter([P, LOST_LINE], company(ROOT, 'OUTRO NOME LTDA'))).toEqual(['name']);
  });

  it('neither confirms nor ends a departure that waits for a second check', async () => {
    await watched([Q]);
    expect([await checkAfter([], SOLE), await heldReasons()]).toEqual([[], ['blank']]);
    now += 60 * MINUTE_MS;
    expect([await checkAfter([LOST_LINE], SOLE), await heldReasons()]).toEqual([[], ['blank']]);
    expect([await checkAfter([], SOLE), await heldReasons()]).toEqual([[['QUINTINO (***000202**)', '']], []]);
  });
});
