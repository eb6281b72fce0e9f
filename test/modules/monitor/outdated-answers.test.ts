import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { formatCnpj } from '../../../src/domain/tax-id.ts';
import { HOUR_MS, MINUTE_MS } from '../../../src/domain/time.ts';
import { isOutdated, nextExtract } from '../../../src/modules/monitor/domain/extract.ts';
import { monitorService } from '../../../src/modules/monitor/service/monitor.ts';
import { acme, opencnpj } from '../../sources/receita-answers.ts';
import { type TestDb, testDb } from '../../support/db.ts';
import { upstream } from '../../support/upstream.ts';
import { node } from './registry.ts';
import { changeLog, cnpj, companiesOf, deleteMonitors, watch } from './support.ts';

/** A mirror that stands in for a failed one, and published its copy before the extract that a company was read from. */

let db: TestDb;
let now: number;
beforeAll(async () => {
  db = await testDb();
});
afterAll(() => db.close());
beforeEach(async () => {
  await deleteMonitors(db.knex);
  now = Date.parse('2026-11-21T00:00:00Z');
});

/** Creates companies that were read from the first mirror, and two mirrors. The copy of the second one is older. `min`: see the guard. */
async function watched(min = 10, count = 1) {
  const first = { extracted: '2026-11-08', status: 200, more: {} as object };
  const second = { published: '2026-10-20', isDated: true, more: {} as object };
  const one = await upstream((path) => {
    if (path === '/updated') return { body: { message: `${first.extracted} é a data de extração` } };
    if (first.status !== 200) return { status: first.status, body: { message: `CNPJ ${formatCnpj(cnpj(0))} não encontrado.` } };
    return { body: { ...acme, cnpj: path.slice(1), ...first.more } };
  });
  const other = await upstream((path) => {
    if (path !== '/info') return { body: { ...opencnpj, cnpj: path.slice(1), ...second.more } };
    return second.isDated ? { body: { last_updated: `${second.published}T03:00:00Z` } } : { status: 500, body: '' };
  });
  const start = () =>
    node({
      db: db.knex,
      registry: one,
      now: () => now,
      settings: { QUIPU_MONITOR_GUARD_MIN: String(min) },
      addresses: { QUIPU_RECEITA_FALLBACK_URL: other.url },
    }).open(monitorService);
  let monitor = start();
  await watch(db.knex, companiesOf(count), { now });
  /** Checks the company if it is due after a time. */
  const checkAfter = async (ms: number) => {
    now += ms;
    await monitor.checks.check('BR', new AbortController().signal);
  };
  /** Starts another process, whose circuit breakers are closed. */
  const restart = () => {
    monitor = start();
  };
  await checkAfter(0);
  return { first, second, checkAfter, restart, quarantine: monitor.quarantine };
}

/** 30 minutes and a tenth, see `nextCheckAfterFailure`. */
const LONGEST_RETRY_MS = 33 * MINUTE_MS;
const CLOSED = { situacao_cadastral: 8, descricao_situacao_cadastral: 'BAIXADA' };
const published = async () => (await changeLog(db.knex)).map(({ fields }) => fields.map(({ field, to }) => `${field}: ${to}`));
const company = () => db.knex('watched_companies').first();

describe('MO-06 an outdated answer', () => {
  it('counts as a failed check, and the company is checked soon after the first mirror answers again', async () => {
    const { first, checkAfter, restart } = await watched();
    first.more = CLOSED;
    await checkAfter(6 * HOUR_MS);
    expect(await published()).toEqual([['status: inactive']]);
    const before = await company();
    expect(before).toMatchObject({ extracted_on: '2026-11-08', failures: 0 });
    first.status = 503;
    await checkAfter(6 * HOUR_MS);
    for (let n = 0; n < 100; n += 1) {
      expect((await company()).due_at.getTime() - now).toBeLessThanOrEqual(LONGEST_RETRY_MS);
      await checkAfter(LONGEST_RETRY_MS);
    }
    const { failures, snapshot, checked_at: checkedAt, names } = await company();
    expect({ snapshot, checkedAt, names }).toEqual({ snapshot: before.snapshot, checkedAt: before.checked_at, names: before.names });
    expect(failures).toBe(101);
    first.status = 200;
    restart();
    await checkAfter(LONGEST_RETRY_MS);
    expect((await company()).checked_at.getTime()).toBe(now);
    expect(await published()).toEqual([['status: inactive']]);
  });

  it('for each company of a batch leaves the others due until the first mirror answers', async () => {
    const { first, checkAfter, restart } = await watched(10, 200);
    const failed = async () => (await db.knex('watched_companies').where('failures', '>', 0)).length;
    first.status = 503;
    await checkAfter(6 * HOUR_MS);
    expect(await failed()).toBe(64);
    await checkAfter(0);
    expect(await failed()).toBe(65);
    first.status = 200;
    restart();
    await checkAfter(MINUTE_MS);
    expect([await failed(), await published()]).toEqual([0, []]);
    expect(await db.knex('watched_companies').where('checked_at', '<', new Date(now))).toEqual([]);
  });

  it('neither ends nor confirms a held change', async () => {
    const { first, second, checkAfter } = await watched();
    first.more = { situacao_especial: 'FALIDO' };
    await checkAfter(6 * HOUR_MS);
    first.more = {};
    await checkAfter(6 * HOUR_MS);
    const [held] = await db.knex('held_changes');
    expect(held).toMatchObject({ reason: 'blank' });
    first.status = 503;
    await checkAfter(HOUR_MS);
    second.more = { situacao_especial: 'FALIDO' };
    await checkAfter(HOUR_MS);
    expect(await db.knex('held_changes')).toEqual([held]);
    first.status = 200;
    await checkAfter(HOUR_MS);
    expect([await db.knex('held_changes'), await published()]).toEqual([[], [['special_situation: FALIDO'], ['special_situation: null']]]);
  });

  it('leaves a change discarded, which was never part of the snapshot', async () => {
    const { first, second, checkAfter, quarantine } = await watched(1);
    second.published = '2026-11-12';
    first.extracted = '2026-11-18';
    await checkAfter(6 * HOUR_MS); // the date of a mirror is read after its answer
    first.more = CLOSED;
    await checkAfter(6 * HOUR_MS);
    expect(await quarantine.discard()).toBe(1);
    first.status = 503;
    await checkAfter(6 * HOUR_MS);
    first.status = 200;
    await checkAfter(6 * HOUR_MS);
    expect([await db.knex('held_changes'), await published()]).toEqual([[], []]);
  });
});

describe('an answer of the second mirror whose date cannot be read', () => {
  const undated = async () => {
    const parts = await watched();
    parts.first.status = 503;
    parts.second.isDated = false;
    parts.second.more = { situacao_cadastral: 'Baixada' };
    await parts.checkAfter(6 * HOUR_MS);
    expect([(await company()).failures, await published()]).toEqual([1, []]);
    return parts;
  };

  it('counts as a failed check, and the date is read again a minute later', async () => {
    const { second, checkAfter } = await undated();
    second.isDated = true;
    second.published = '2026-11-20';
    await checkAfter(2 * MINUTE_MS);
    expect([(await company()).failures, await published()]).toEqual([0, [['status: inactive']]]);
  });

  it('counts as a check after half an hour', async () => {
    const { checkAfter } = await undated();
    await checkAfter(29 * MINUTE_MS);
    expect([(await company()).failures, await published()]).toEqual([2, []]);
    await checkAfter(5 * MINUTE_MS);
    expect([(await company()).failures, await published()]).toEqual([0, [['status: inactive']]]);
  });

  it('counts as a check of a company of which no extract is known', async () => {
    const { first, second, checkAfter } = await watched();
    await db.knex('watched_companies').update({ extracted_on: null });
    first.status = 503;
    second.isDated = false;
    await checkAfter(6 * HOUR_MS);
    expect(await company()).toMatchObject({ failures: 0 });
  });
});

describe('an answer of the second mirror', () => {
  it('is reported if its copy was published after the extract of the first one', async () => {
    const { first, second, checkAfter } = await watched();
    first.status = 503;
    second.published = '2026-11-20';
    second.more = { situacao_cadastral: 'Baixada' };
    await checkAfter(6 * HOUR_MS);
    expect(await published()).toEqual([['status: inactive']]);
    expect(await company()).toMatchObject({ extracted_on: '2026-11-08', failures: 0 });
  });

  it.each<[string, object, number]>([
    ['that fills the gaps of the first one', { qsa: [] }, 200],
    ['that has a company which the first one has not', {}, 404],
  ])('%s counts as a check, because the first one answers, too', async (_, more, status) => {
    const { first, checkAfter } = await watched();
    first.more = more;
    first.status = status;
    await checkAfter(6 * HOUR_MS);
    const { checked_at: checkedAt, failures } = await company();
    expect([checkedAt.getTime(), failures, await published()]).toEqual([now, 0, []]);
  });
});

it('a first mirror that goes back to an earlier extract is compared with that from then on', async () => {
  const { first, second, checkAfter } = await watched();
  first.extracted = '2026-10-12';
  first.more = CLOSED;
  await checkAfter(6 * HOUR_MS);
  await checkAfter(6 * HOUR_MS); // the date of a mirror is read after its answer
  expect([await published(), (await company()).extracted_on]).toEqual([[['status: inactive']], '2026-10-12']);
  first.status = 503;
  second.more = { situacao_cadastral: 'Baixada' };
  await checkAfter(6 * HOUR_MS);
  expect(await company()).toMatchObject({ failures: 0 });
});

describe('the age of an answer', () => {
  const extract = (extractedOn: string | null) => ({ extractedOn, publishedOn: null, isAwaited: false });
  const copy = (publishedOn: string | null, isAwaited = false) => ({ extractedOn: null, publishedOn, isAwaited });

  it.each<[string | null, ReturnType<typeof extract> | ReturnType<typeof copy>, boolean]>([
    ['2026-11-08', copy('2026-11-07'), true],
    ['2026-11-08', copy('2026-11-08'), false],
    ['2026-11-08', copy(null), false],
    ['2026-11-08', copy(null, true), true],
    [null, copy(null, true), false],
    ['2026-11-08', extract('2026-10-12'), false],
    [null, copy('2026-10-20'), false],
  ])('beside an extract of %j, %j is outdated: %j', (last, age, outdated) => {
    expect(isOutdated(last, age)).toBe(outdated);
  });

  it.each<[string | null, ReturnType<typeof extract> | ReturnType<typeof copy>, string | null]>([
    ['2026-11-08', extract('2026-12-13'), '2026-12-13'],
    ['2026-11-08', extract('2026-10-12'), '2026-10-12'],
    ['2026-11-08', extract(null), '2026-11-08'],
    ['2026-11-08', extract('2062-11-08'), '2026-11-08'],
    ['2026-11-08', copy('2026-11-20'), '2026-11-08'],
    [null, copy('2026-11-20'), null],
  ])('after an extract of %j, %j leaves the extract %j', (last, age, next) => {
    expect(nextExtract(last, age, '2026-12-20')).toBe(next);
  });
});
