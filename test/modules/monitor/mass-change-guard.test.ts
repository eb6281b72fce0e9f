import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { formatCnpj } from '../../../src/domain/tax-id.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/domain/time.ts';
import type { DetectedChange, FieldChange } from '../../../src/modules/monitor/domain/change.ts';
import { type BaselineStats, splitMassChanges } from '../../../src/modules/monitor/domain/mass-change.ts';
import { monitorService } from '../../../src/modules/monitor/service/monitor.ts';
import { partner } from '../../sources/receita-answers.ts';
import { type TestDb, testDb } from '../../support/db.ts';
import { answer, type NodeOptions, node, type TestRegistry, testRegistry } from './registry.ts';
import { brazilian, changeLog, cnpj, companiesOf, deleteMonitors, watch } from './support.ts';

const LIMITS = { share: 0.1, min: 10 };
const QUIET: BaselineStats = {
  checked: 64,
  recentWindow: { checked: 0, changed: new Map() },
  watched: 1_000,
  changed: new Map(),
  held: new Set(),
};

const changeOf = (n: number, ...fields: FieldChange[]): DetectedChange => ({
  company: brazilian(cnpj(n)),
  source: 'receita_federal',
  fields,
  observed: { status: 'active', size: 'small', activity: 'Padaria' },
});
const closed = { field: 'status', from: 'active', to: 'inactive' } as const;
const grown = { field: 'size', from: 'small', to: 'large' } as const;
const many = (count: number, ...fields: FieldChange[]) => Array.from({ length: count }, (_, n) => changeOf(n, ...fields));
const split = (changes: readonly DetectedChange[], stats: Partial<BaselineStats> = {}, isConfirmed = false) =>
  splitMassChanges(changes, { stats: { ...QUIET, ...stats }, limits: LIMITS, isConfirmed: () => isConfirmed, needsOperator: () => false });
const reasons = (...input: Parameters<typeof split>) => split(...input).held.map(({ reason }) => reason);

describe('splitMassChanges', () => {
  it.each([
    ['fewer than the least number', many(9, closed), {}, 0],
    ['the least number, of few looked at', many(10, closed), {}, 10],
    ['the least number, a tenth of those looked at', many(10, closed), { checked: 100 }, 10],
    ['the least number, less than a tenth of those looked at', many(10, closed), { checked: 101 }, 0],
    ['few, together with those published a tenth of all', many(1, closed), { watched: 100, changed: new Map([['status', 9]]) }, 1],
    ['few, together with those published less than a tenth', many(1, closed), { watched: 101, changed: new Map([['status', 9]]) }, 0],
    [
      'few, together with those before a tenth',
      many(1, closed),
      { checked: 3, recentWindow: { checked: 97, changed: new Map([['status', 9]]) } },
      1,
    ],
    [
      'few, together with those before less than a tenth',
      many(1, closed),
      { checked: 3, recentWindow: { checked: 98, changed: new Map([['status', 9]]) } },
      0,
    ],
    ['few, where another field was published often', many(1, closed), { watched: 100, changed: new Map([['size', 99]]) }, 0],
    ['one of a field that is being held', many(1, grown, closed), { held: new Set(['status']) }, 1],
    ['one of another field than the one held', many(1, grown), { held: new Set(['status']) }, 0],
  ] as const)('holds by share: %s', (_, changes, stats, held) => {
    expect(reasons(changes, stats as Partial<BaselineStats>)).toEqual(Array(held).fill('share'));
  });

  it('holds by share a change with one suspect field as a whole, and publishes the others', () => {
    const changes = [...many(10, closed), changeOf(50, closed, grown), changeOf(51, grown)];
    const { published, held } = split(changes);
    expect(published).toEqual([changeOf(51, grown)]);
    expect(held).toHaveLength(11);
  });

  it.each([
    ['a size that became unknown', { field: 'size', from: 'small', to: 'unknown' }, ['blank']],
    ['an activity that became nothing', { field: 'activity', from: 'Padaria', to: null }, ['blank']],
    ['an activity that became an empty text', { field: 'activity', from: 'Padaria', to: '' }, ['blank']],
    ['a company that is gone', { field: 'status', from: 'active', to: 'not_found' }, ['blank']],
    ['a size that became known', { field: 'size', from: 'unknown', to: 'large' }, []],
    ['a company that appeared', { field: 'status', from: 'not_found', to: 'active' }, []],
  ] as const)('holds a change only when it loses a value: %s', (_, field, held) => {
    expect(reasons([changeOf(0, field)])).toEqual(held);
  });

  it('publishes a change that loses a value when it is confirmed, unless too many lose one', () => {
    const gone = { ...closed, to: 'not_found' };
    expect(split([changeOf(0, gone)], {}, true)).toEqual({ published: [changeOf(0, gone)], held: [] });
    expect(reasons(many(10, gone), {}, true)).toEqual(Array(10).fill('share'));
    expect(reasons([...many(9, gone), changeOf(30, closed)])).toEqual(Array(10).fill('share'));
  });
});

it.each<[string, FieldChange, readonly string[]]>([
  ['holds a change of a field that waits for an operator', grown, ['share']],
  ['publishes a renewal, although its year waits for an operator', { field: 'last_renewed_year', from: '2025', to: '2026' }, []],
])('splitMassChanges %s', (_, field, held) => {
  const options = { stats: QUIET, limits: LIMITS, isConfirmed: () => false, needsOperator: () => true };
  expect(splitMassChanges([changeOf(0, field)], options).held.map(({ reason }) => reason)).toEqual(held);
});

describe('a check with mass change detection', () => {
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

  /** Creates `count` watched companies with their baseline, and functions that check them now or one interval later. */
  async function watched(count = 40, settings: NodeOptions['settings'] = {}) {
    const { open, lines } = node({ db: db.knex, registry, now: () => now, settings });
    await watch(db.knex, companiesOf(count), { now });
    const check = () => open(monitorService).checks.check('BR', NEVER);
    const checkLater = async () => {
      now += 6 * HOUR_MS;
      await check();
    };
    await checkLater();
    return { quarantine: open(monitorService).quarantine, check, checkLater, lines };
  }
  const closeSome = (count: number) => {
    for (let n = 0; n < count; n += 1) registry.says.set(cnpj(n), { active: false });
  };
  const snapshot = async (n: number) =>
    (
      await db
        .knex('watched_companies')
        .where({ tax_id: cnpj(n) })
        .first()
    ).snapshot;

  it('publishes nothing when many companies change in the same field at once, and logs one warning', async () => {
    const { quarantine, checkLater, lines } = await watched();
    closeSome(20);
    await checkLater();
    closeSome(21);
    await checkLater();
    expect(await changeLog(db.knex)).toEqual([]);
    expect(await snapshot(0)).toMatchObject({ status: 'active' });
    expect(await quarantine.counts()).toEqual([{ source: 'receita_federal', field: 'status', reason: 'share', count: 21 }]);
    const warnings = lines.filter(({ msg }) => /held until/.test(String(msg)));
    expect(warnings).toMatchObject([{ level: 40, source: 'receita_federal', field: 'status', reason: 'share', count: 20 }]);
    expect(JSON.stringify(warnings)).not.toContain(cnpj(0));
  });

  it('counts changes one after another within an interval, each company once when two monitors watch it', async () => {
    const { quarantine, check } = await watched(100);
    await watch(db.knex, companiesOf(100), { now });
    for (let n = 0; n < 12; n += 1) {
      registry.says.set(cnpj(n), { active: false });
      now += MINUTE_MS;
      await db
        .knex('watched_companies')
        .where({ tax_id: cnpj(n) })
        .update({ due_at: new Date(now) });
      await check();
    }
    expect(new Set((await changeLog(db.knex)).map(({ company }) => company.taxId))).toEqual(
      new Set(companiesOf(9).map(({ taxId }) => taxId)),
    );
    expect(await quarantine.counts()).toMatchObject([{ reason: 'share', count: 3 }]);
  });

  it('holds changes from the minimum number on while most companies are not checked yet', async () => {
    const { quarantine, check } = await watched(300);
    for (let n = 0; n < 60; n += 1) {
      registry.says.set(cnpj(n), { active: false });
      now += MINUTE_MS;
      await db
        .knex('watched_companies')
        .where({ tax_id: cnpj(n) })
        .update({ due_at: new Date(now) });
      await check();
    }
    expect(await changeLog(db.knex)).toHaveLength(9);
    expect(await quarantine.counts()).toMatchObject([{ reason: 'share', count: 51 }]);
  });

  it('deletes held changes when the source reverts them', async () => {
    const { quarantine, checkLater } = await watched();
    closeSome(20);
    await checkLater();
    registry.says.clear();
    await checkLater();
    expect([await quarantine.counts(), await changeLog(db.knex)]).toEqual([[], []]);
  });

  it('publishes released changes once and updates the snapshots', async () => {
    const { quarantine, checkLater } = await watched();
    closeSome(20);
    await checkLater();
    expect(await quarantine.release({ companies: [brazilian(cnpj(3)), brazilian(cnpj(4))] })).toBe(2);
    expect(await quarantine.release({ source: 'sii' })).toBe(0);
    expect(await quarantine.release({ field: 'size' })).toBe(0);
    expect(await quarantine.release({ field: 'status', companies: [brazilian(cnpj(5))] })).toBe(1);
    expect(await quarantine.release({ source: 'receita_federal' })).toBe(17);
    const log = await changeLog(db.knex);
    expect(log.map(({ company }) => company.taxId).sort()).toEqual(companiesOf(20).map(({ taxId }) => taxId));
    expect(log[0]).toMatchObject({ fields: [{ field: 'status', from: 'active', to: 'inactive' }], detectedAt: now });
    expect(await db.knex('deliveries')).toHaveLength(20);
    await checkLater();
    expect([await changeLog(db.knex), await quarantine.counts()]).toEqual([log, []]);
    expect(await snapshot(0)).toMatchObject({ status: 'inactive' });
  });

  it('does not publish a discarded change again while the source repeats it', async () => {
    const { quarantine, checkLater } = await watched();
    closeSome(20);
    await checkLater();
    expect(await quarantine.discard()).toBe(20);
    await checkLater();
    expect([await quarantine.counts(), await changeLog(db.knex)]).toEqual([[], []]);
    registry.says.set(cnpj(0), { active: false, porte: 'DEMAIS' });
    registry.says.delete(cnpj(1));
    await checkLater();
    const fields = [
      { field: 'status', from: 'active', to: 'inactive' },
      { field: 'size', from: 'small', to: 'large' },
    ];
    expect((await changeLog(db.knex)).map(({ company, fields }) => [company.taxId, fields])).toEqual([[cnpj(0), fields]]);
    registry.says.set(cnpj(1), { active: false });
    await checkLater();
    expect((await changeLog(db.knex)).map(({ company }) => company.taxId)).toEqual([cnpj(0), cnpj(1)]);
  });

  it('does not publish a discarded change again after an answer in which its field was unknown', async () => {
    const { quarantine, checkLater } = await watched(1, { QUIPU_MONITOR_GUARD_MIN: '1' });
    const say = (qsa: readonly object[]) => registry.says.set(cnpj(0), { reply: { body: { ...answer(cnpj(0)), qsa } } });
    say([{ ...partner, nome_socio: 'BIA MODELO' }]);
    await checkLater();
    expect(await quarantine.discard()).toBe(1);
    say([{ ...partner, nome_socio: '' }]);
    await checkLater();
    say([{ ...partner, nome_socio: 'BIA MODELO' }]);
    await checkLater();
    expect([await quarantine.counts(), await changeLog(db.knex)]).toEqual([[], []]);
  });

  it('holds a change that loses values, and deletes it when a change that loses none replaces it', async () => {
    const { quarantine, checkLater } = await watched(1);
    registry.says.set(cnpj(0), { reply: { status: 404, body: { message: `CNPJ ${formatCnpj(cnpj(0))} não encontrado.` } } });
    await checkLater();
    expect(await quarantine.list({ limit: 10 })).toMatchObject([
      { company: brazilian(cnpj(0)), reason: 'blank', observed: { status: 'not_found', size: null, activity: null }, heldAt: now },
    ]);
    registry.says.set(cnpj(0), { activity: 'Sapataria' });
    await checkLater();
    expect(await quarantine.list({ limit: 10 })).toEqual([]);
    expect((await changeLog(db.knex)).map(({ fields }) => fields)).toEqual([[{ field: 'activity', from: 'Padaria', to: 'Sapataria' }]]);
  });

  it('lists held changes in pages', async () => {
    const { quarantine, checkLater } = await watched();
    closeSome(20);
    await checkLater();
    const first = await quarantine.list({ limit: 15 });
    const rest = await quarantine.list({ limit: 15, after: first.at(-1)! });
    expect([...first, ...rest].map(({ company }) => company.taxId)).toEqual(companiesOf(20).map(({ taxId }) => taxId));
  });

  it('releases or discards each held change once when three calls run at the same time', async () => {
    const { quarantine, checkLater } = await watched();
    closeSome(20);
    await checkLater();
    const released = await Promise.all([quarantine.release(), quarantine.release(), quarantine.discard()]);
    expect(released.reduce((sum, one) => sum + one)).toBe(20);
    const log = await changeLog(db.knex);
    expect(new Set(log.map(({ company }) => company.taxId)).size).toBe(log.length);
  });
});
