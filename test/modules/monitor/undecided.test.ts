import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { formatCnpj } from '../../../src/domain/tax-id.ts';
import { HOUR_MS } from '../../../src/domain/time.ts';
import type { Snapshot } from '../../../src/modules/monitor/domain/change.ts';
import type { WatchedOwner } from '../../../src/modules/monitor/domain/record.ts';
import { undecidedFields } from '../../../src/modules/monitor/domain/undecided.ts';
import { monitorService } from '../../../src/modules/monitor/service/monitor.ts';
import { partner } from '../../sources/receita-answers.ts';
import { type TestDb, testDb } from '../../support/db.ts';
import { answer, node, type Said, type TestRegistry, testRegistry } from './registry.ts';
import { changeLog, cnpj, companiesOf, deleteMonitors, watch } from './support.ts';

/** A held or discarded change, and later answers of the registry that lack its field. */

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
  now = Date.parse('2026-11-21T00:00:00Z');
  registry = await testRegistry();
});

const qsa = (...names: readonly string[]) => names.map((name) => ({ ...partner, nome_socio: name }));
/** The names of the partners are missing, so that these are unknown. */
const UNKNOWN = qsa('');
const ABSENT: Said = { reply: { status: 404, body: { message: `CNPJ ${formatCnpj(cnpj(0))} não encontrado.` } } };
const say = (partners: readonly object[], said: Said = {}, more: object = {}, n = 0) =>
  registry.says.set(cnpj(n), { reply: { body: { ...answer(cnpj(n), said), qsa: partners, ...more } } });

/** Creates watched companies with ANA as partner, and functions that check them. `min`: number of changes that are held by share. */
async function watched({ count = 1, min = 10, more = {} }: { count?: number; min?: number; more?: object } = {}) {
  const { open } = node({ db: db.knex, registry, now: () => now, settings: { QUIPU_MONITOR_GUARD_MIN: String(min) } });
  await watch(db.knex, companiesOf(count), { now });
  for (let n = 0; n < count; n += 1) say(qsa('ANA MODELO'), {}, more, n);
  const checkAfter = async (hours: number) => {
    now += hours * HOUR_MS;
    await open(monitorService).checks.check('BR', NEVER);
  };
  await checkAfter(6);
  return { checkAfter, quarantine: open(monitorService).quarantine };
}

const held = async () => (await db.knex('held_changes').orderBy('tax_id')).map(({ reason, fields }) => [reason, ...namesOf(fields)]);
const published = async () => (await changeLog(db.knex)).map(({ fields }) => namesOf(fields));
const namesOf = (fields: readonly { readonly field: string; readonly to: string | null }[]) =>
  fields.map(({ field, to }) => `${field}: ${to?.replace(/ \(.*/, '')}`);

describe('a change that waits for a second check', () => {
  it('is kept while the answers lack its field, without further calls, and is published by the next one that has it', async () => {
    const { checkAfter } = await watched();
    say([]);
    await checkAfter(6);
    const [{ held_at: since }] = await db.knex('held_changes');
    say(UNKNOWN);
    await checkAfter(1);
    await checkAfter(1);
    expect([await held(), await published(), registry.asked.length]).toEqual([[['blank', 'owners: ']], [], 3]);
    expect((await db.knex('held_changes').first()).held_at).toEqual(since);
    say([]);
    await checkAfter(6);
    expect([await held(), await published()]).toEqual([[], [['owners: ']]]);
  });

  it('is dropped after such answers by one that has the field as before', async () => {
    const { checkAfter } = await watched();
    say([]);
    await checkAfter(6);
    say(UNKNOWN);
    await checkAfter(1);
    say(qsa('ANA MODELO'));
    await checkAfter(6);
    expect([await held(), await published()]).toEqual([[], []]);
  });

  it('of two fields is published for the field that the second check has, and stays held for the other one', async () => {
    const { checkAfter } = await watched({ more: { situacao_especial: 'FALIDO' } });
    say(qsa('BIA MODELO'), {}, { situacao_especial: '' });
    await checkAfter(6);
    expect(await held()).toEqual([['blank', 'owners: BIA MODELO', 'special_situation: undefined']]);
    say(UNKNOWN, {}, { situacao_especial: '' });
    await checkAfter(1);
    expect([await held(), await published()]).toEqual([[['blank', 'owners: BIA MODELO']], [['special_situation: undefined']]]);
    say(qsa('BIA MODELO'), {}, { situacao_especial: '' });
    await checkAfter(6);
    expect([await held(), await published()]).toEqual([[], [['special_situation: undefined'], ['owners: BIA MODELO']]]);
  });

  it('is kept beside another change that such an answer has, which is published', async () => {
    const { checkAfter } = await watched();
    say([]);
    await checkAfter(6);
    say(UNKNOWN, { active: false });
    await checkAfter(1);
    expect([await held(), await published()]).toEqual([[['blank', 'owners: ']], [['status: inactive']]]);
    say([], { active: false });
    await checkAfter(6);
    expect([await held(), await published()]).toEqual([[], [['status: inactive'], ['owners: ']]]);
  });

  it('ends after 30 days of such answers, and begins anew with the next one that has the field', async () => {
    const { checkAfter } = await watched();
    say([]);
    await checkAfter(6);
    say(UNKNOWN);
    await checkAfter(29 * 24);
    expect(await held()).toEqual([['blank', 'owners: ']]);
    await checkAfter(2 * 24);
    expect([await held(), await published()]).toEqual([[], []]);
    say([]);
    await checkAfter(6);
    expect([await held(), await published()]).toEqual([[['blank', 'owners: ']], []]);
  });

  it('does not count among the changes of a field while the answers lack it', async () => {
    const { checkAfter } = await watched({ count: 4, min: 3 });
    for (const n of [0, 1]) say([], {}, {}, n);
    await checkAfter(6);
    for (const n of [0, 1]) say(UNKNOWN, {}, {}, n);
    await checkAfter(1);
    await db
      .knex('watched_companies')
      .whereIn('tax_id', [cnpj(0), cnpj(1)])
      .update({ due_at: new Date(now + 7 * HOUR_MS) });
    say(qsa('BIA MODELO'), {}, {}, 2);
    await checkAfter(6);
    expect([await held(), await published()]).toEqual([Array(2).fill(['blank', 'owners: ']), [['owners: BIA MODELO']]]);
  });

  it('ends once it was sent that the registry does not have the company any more, and begins anew if the company returns', async () => {
    const { checkAfter } = await watched();
    say([]);
    await checkAfter(6);
    registry.says.set(cnpj(0), ABSENT);
    await checkAfter(1);
    expect((await held())[0]).toEqual(expect.arrayContaining(['status: not_found', 'owners: ']));
    await checkAfter(1);
    expect([await held(), (await published()).map(([first]) => first)]).toEqual([[], ['status: not_found']]);
    say([]);
    await checkAfter(6);
    expect((await held())[0]).toEqual(expect.arrayContaining(['blank', 'status: active', 'owners: ']));
  });
});

describe('a mass change that waits for an operator', () => {
  const massChange = async () => {
    const parts = await watched({ count: 3, min: 3 });
    for (let n = 0; n < 3; n += 1) say(qsa('BIA MODELO'), {}, {}, n);
    await parts.checkAfter(6);
    expect(await held()).toHaveLength(3);
    return parts;
  };

  it('is kept while the answers lack its field, and is released with what they reported meanwhile', async () => {
    const { checkAfter, quarantine } = await massChange();
    say(UNKNOWN, { active: false });
    await checkAfter(6);
    expect([await held(), await published()]).toEqual([Array(3).fill(['share', 'owners: BIA MODELO']), [['status: inactive']]]);
    expect(await quarantine.release()).toBe(3);
    say(qsa('BIA MODELO'), { active: false });
    await checkAfter(6);
    expect([await held(), (await published()).toSorted()]).toEqual([[], [...Array(3).fill(['owners: BIA MODELO']), ['status: inactive']]]);
  });

  it('is not published by a second check of a value that such an answer has lost, which is published alone', async () => {
    const { checkAfter } = await massChange();
    say(UNKNOWN, { porte: 'MICRO EMPRESA' }, { porte: '', codigo_porte: 0 });
    await checkAfter(6);
    expect([(await held())[0], await published()]).toEqual([['blank', 'size: unknown', 'owners: BIA MODELO'], []]);
    await checkAfter(1);
    expect([(await held())[0], await published()]).toEqual([['share', 'owners: BIA MODELO'], [['size: unknown']]]);
    say(qsa('BIA MODELO'), { porte: 'MICRO EMPRESA' }, { porte: '', codigo_porte: 0 });
    await checkAfter(6);
    expect([(await held())[0], await published()]).toEqual([['share', 'owners: BIA MODELO'], [['size: unknown']]]);
  });

  it('does not delay that the registry does not have the company any more, and ends once this was sent', async () => {
    const { checkAfter } = await massChange();
    registry.says.set(cnpj(0), ABSENT);
    await checkAfter(6);
    expect([(await held())[0], await published()]).toEqual([
      expect.arrayContaining(['blank', 'status: not_found', 'owners: BIA MODELO']),
      [],
    ]);
    await checkAfter(1);
    expect((await published()).map(([first]) => first)).toEqual(['status: not_found']);
    expect(await held()).toEqual(Array(2).fill(['share', 'owners: BIA MODELO']));
  });

  it('waits for the operator again after an absence that no second check confirmed, also if the other companies have recovered', async () => {
    const { checkAfter } = await massChange();
    for (const n of [1, 2]) say(qsa('ANA MODELO'), {}, {}, n);
    registry.says.set(cnpj(0), ABSENT);
    await checkAfter(6);
    say(UNKNOWN);
    await checkAfter(1);
    expect([await held(), await published()]).toEqual([[['share', 'owners: BIA MODELO']], []]);
    say(qsa('BIA MODELO'));
    await checkAfter(6);
    expect([await held(), await published()]).toEqual([[['share', 'owners: BIA MODELO']], []]);
  });

  it('holds the field of no other company while the answers lack its own, and holds it again once one repeats the change', async () => {
    const { checkAfter } = await massChange();
    say(UNKNOWN);
    for (const n of [1, 2]) say(qsa('ANA MODELO'), {}, {}, n);
    await checkAfter(6);
    say(qsa('CLARA MODELO'), {}, {}, 1);
    await checkAfter(6);
    expect([await held(), await published()]).toEqual([[['share', 'owners: BIA MODELO']], [['owners: CLARA MODELO']]]);
    say(qsa('BIA MODELO'));
    await checkAfter(6);
    say(qsa('CLARA MODELO'), {}, {}, 2);
    await checkAfter(6);
    expect([await held(), await published()]).toEqual([
      [
        ['share', 'owners: BIA MODELO'],
        ['share', 'owners: CLARA MODELO'],
      ],
      [['owners: CLARA MODELO']],
    ]);
  });

  it('is not reported after it was discarded and an answer lacked its field and had another change', async () => {
    const { checkAfter, quarantine } = await massChange();
    expect(await quarantine.discard()).toBe(3);
    say(UNKNOWN, { active: false });
    await checkAfter(6);
    say(qsa('BIA MODELO'), { active: false });
    await checkAfter(6);
    expect([await held(), await published()]).toEqual([[], [['status: inactive']]]);
    say(qsa('CLARA MODELO'), { active: false });
    await checkAfter(6);
    expect(await published()).toEqual([['status: inactive'], ['owners: CLARA MODELO']]);
  });
});

it('a discarded change is not held again after an absence that no second check confirmed', async () => {
  const { checkAfter, quarantine } = await watched({ min: 1 });
  say(qsa('ANA MODELO'), { active: false });
  await checkAfter(6);
  expect(await quarantine.discard()).toBe(1);
  registry.says.set(cnpj(0), ABSENT);
  await checkAfter(6);
  expect(await held()).toHaveLength(1);
  say(qsa('ANA MODELO'), { active: false });
  await checkAfter(6);
  expect([await held(), await published()]).toEqual([[], []]);
});

describe('the fields of a held change about which an observation tells nothing', () => {
  const owner = (share: string | null): WatchedOwner => ({ kind: 'company', name: 'A SPA', document: '76900001K', share });
  const owned = (share: string | null): Snapshot => ({
    status: 'active',
    size: 'small',
    activity: null,
    owners: { count: 1, digest: String(share), listed: [owner(share)] },
  });
  const known: Snapshot = {
    status: 'active',
    size: 'small',
    activity: null,
    name: 'A',
    capital: 1,
    address: 'A/SP',
    last_renewed_year: 2025,
  };
  const other: Snapshot = { ...known, name: 'B', capital: 2, address: 'B/SP', last_renewed_year: 2026 };

  it.each<[string, Snapshot, Snapshot, Snapshot, readonly string[]]>([
    [
      'all that are unknown',
      known,
      other,
      { status: 'not_found', size: null, activity: null },
      ['name', 'capital', 'address', 'last_renewed_year'],
    ],
    ['none that are as before', known, other, known, []],
    ['none that are as held', known, other, other, []],
    ['none that have a third value', known, other, { ...known, name: 'C', capital: 3, address: 'C/SP', last_renewed_year: null }, []],
    ['owners whose share is unknown', owned('50'), owned('60'), owned(null), ['owners']],
    ['no owners whose share is known', owned('50'), owned('60'), owned('60'), []],
  ])('are %s', (_, snapshot, pending, observed, fields) => {
    expect(undecidedFields(snapshot, pending, observed)).toEqual(fields);
  });
});
