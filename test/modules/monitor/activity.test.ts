import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../../src/domain/time.ts';
import { diffSnapshots, type Snapshot } from '../../../src/modules/monitor/domain/change.ts';
import { monitorService } from '../../../src/modules/monitor/service/monitor.ts';
import { type TestDb, testDb } from '../../support/db.ts';
import { answer, node, type TestRegistry, testRegistry } from './registry.ts';
import { changeLog, cnpj, companiesOf, deleteMonitors, watch } from './support.ts';

/* A mirror once gave its descriptions with a broken encoding: https://github.com/cuducos/minha-receita/issues/216 */

const NAME = 'Desenvolvimento de programas de computador sob encomenda';
const CAFE = 'Cultivo de café';
const accident = (text: string) => Buffer.from(text, 'utf8').toString('latin1');

describe('the activity of two snapshots', () => {
  const snapshot = (activity: string | null, activityCode?: string | null): Snapshot => ({
    status: 'active',
    size: 'small',
    activity,
    ...(activityCode !== undefined && { activityCode }),
  });

  it.each([
    ['one code with two descriptions', snapshot(CAFE, '0134200'), snapshot(accident(CAFE), '0134200')],
    ['words of an earlier version', snapshot(CAFE), snapshot(CAFE, '0134200')],
    ['broken words of an earlier version', snapshot(accident(CAFE)), snapshot(CAFE, '0134200')],
    ['words of an earlier version without accents, in capitals', snapshot('CULTIVO DE CAFE'), snapshot(CAFE, '0134200')],
    ['words of an earlier version with lost letters', snapshot('Cultivo de caf?'), snapshot(CAFE, '0134200')],
    ['the code of an earlier version, which had no words', snapshot('0134200'), snapshot(CAFE, '0134200')],
    ['a code that got lost beside its words', snapshot(CAFE, '0134200'), snapshot('CULTIVO DE CAFE', null)],
    ['words alone, in two spellings', snapshot(CAFE, null), snapshot('Cultivo de caf\ufffd', null)],
    ['nothing', snapshot(null), snapshot(null, null)],
  ])('is the same: %s', (_, before, after) => {
    expect(diffSnapshots(before, after)).toEqual([]);
  });

  it.each([
    ['another code', snapshot(CAFE, '0134200'), snapshot(NAME, '6201501'), { from: CAFE, to: NAME }],
    [
      'another code than the broken words of an earlier version',
      snapshot(accident(CAFE)),
      snapshot(NAME, '6201501'),
      { from: CAFE, to: NAME },
    ],
    ['other words', snapshot(CAFE, null), snapshot(NAME, null), { from: CAFE, to: NAME }],
    ['a first one', snapshot(null), snapshot(CAFE, '0134200'), { from: null, to: CAFE }],
    ['no longer one', snapshot(CAFE, '0134200'), snapshot(null, null), { from: CAFE, to: null }],
  ])('differs: %s', (_, before, after, change) => {
    expect(diffSnapshots(before, after)).toEqual([{ field: 'activity', ...change }]);
  });
});

describe('a watched company whose activity has a code', () => {
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

  const say = (cnae_fiscal: number, cnae_fiscal_descricao: string) =>
    registry.says.set(cnpj(0), { reply: { body: { ...answer(cnpj(0)), cnae_fiscal, cnae_fiscal_descricao } } });
  const fields = async () => (await changeLog(db.knex)).flatMap((change) => change.fields);
  const snapshot = async () => (await db.knex('watched_companies').first()).snapshot;

  async function watched() {
    const { open } = node({ db: db.knex, registry, now: () => now });
    await watch(db.knex, companiesOf(1), { now });
    return async () => {
      now += 6 * HOUR_MS;
      await open(monitorService).checks.check('BR', new AbortController().signal);
    };
  }

  it('has no change when only the words beside it do, and one in the words of the table when the code does', async () => {
    say(6201501, 'Comércio varejista de produtos farmacêuticos');
    const check = await watched();
    await check();
    for (const words of [accident('Comércio varejista de produtos farmacêuticos'), 'COMERCIO VAREJISTA', '', 'Hotéis']) {
      say(6201501, words);
      await check();
    }
    expect(await fields()).toEqual([]);
    say(134200, 'CULTIVO DE CAF?');
    await check();
    expect(await fields()).toEqual([{ field: 'activity', from: NAME, to: CAFE }]);
  });

  it('has no change at the first check after an upgrade, which adds the code to the snapshot', async () => {
    say(134200, CAFE);
    const check = await watched();
    await check();
    for (const activity of [CAFE, accident(CAFE), 'CULTIVO DE CAFE', '0134200']) {
      const { activityCode: _, ...stored } = await snapshot();
      await db.knex('watched_companies').update({ snapshot: JSON.stringify({ ...stored, activity }) });
      await check();
      expect(await snapshot()).toMatchObject({ activity: CAFE, activityCode: '0134200' });
    }
    expect(await fields()).toEqual([]);
  });
});
