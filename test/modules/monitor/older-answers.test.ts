import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { HOUR_MS } from '../../../src/domain/time.ts';
import type { Snapshot } from '../../../src/modules/monitor/domain/change.ts';
import { isOlder, settled } from '../../../src/modules/monitor/domain/watched-company.ts';
import { monitorService } from '../../../src/modules/monitor/service/monitor.ts';
import { acme, opencnpj } from '../../sources/receita-answers.ts';
import { type TestDb, testDb } from '../../support/db.ts';
import { upstream } from '../../support/upstream.ts';
import { node } from './registry.ts';
import { changeLog, cnpj, companiesOf, deleteMonitors, watch } from './support.ts';

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

/** A company with a baseline, and two mirrors of its registry. The second one says that the company is closed. */
async function watched() {
  const mirrors = { isFirstDown: false, published: '2026-10-20' };
  const first = await upstream((path) => {
    if (path === '/updated') return { body: { message: '2026-11-08 é a data de extração dos dados pela Receita Federal.' } };
    return mirrors.isFirstDown ? { status: 503, body: {} } : { body: { ...acme, cnpj: cnpj(0) } };
  });
  const second = await upstream((path) => ({
    body:
      path === '/info' ? { last_updated: `${mirrors.published}T03:00:00Z` } : { ...opencnpj, cnpj: cnpj(0), situacao_cadastral: 'Baixada' },
  }));
  const { open } = node({ db: db.knex, registry: first, now: () => now, addresses: { QUIPU_RECEITA_FALLBACK_URL: second.url } });
  await watch(db.knex, companiesOf(1), { now });
  const check = async () => {
    now += 6 * HOUR_MS;
    await open(monitorService).checks.check('BR', new AbortController().signal);
  };
  await check();
  return { mirrors, check };
}

const published = async () => (await changeLog(db.knex)).map(({ fields }) => fields);
const company = () => db.knex('watched_companies').first();

describe('a mirror that stands in for another one with a newer extract', () => {
  it('reports no change, and the company counts as not checked until there is a newer answer', async () => {
    const { mirrors, check } = await watched();
    const before = await company();
    expect(before.snapshot).toMatchObject({ status: 'active', extractedOn: '2026-11-08' });
    mirrors.isFirstDown = true;
    await check();
    const after = await company();
    expect(after).toMatchObject({ snapshot: before.snapshot, checked_at: before.checked_at, failures: 0, lease: null });
    expect(after.due_at.getTime()).toBeGreaterThan(now);
    expect(after.due_at.getTime()).toBeLessThanOrEqual(now + 6 * HOUR_MS);
    mirrors.isFirstDown = false;
    await check();
    expect((await company()).checked_at.getTime()).toBe(now);
    expect(await published()).toEqual([]);
  });

  it('reports a change once its copy was published after that extract', async () => {
    const { mirrors, check } = await watched();
    mirrors.isFirstDown = true;
    mirrors.published = '2026-11-20';
    await check();
    expect(await published()).toEqual([[{ field: 'status', from: 'active', to: 'inactive' }]]);
    expect((await company()).snapshot).toMatchObject({ status: 'inactive', extractedOn: '2026-11-08' });
  });
});

describe('the age of an observation', () => {
  const observed = (more: Partial<Snapshot>): Snapshot => ({ status: 'active', size: 'small', activity: null, ...more });
  const extract = (extractedOn: string) => ({ snapshot: observed({ extractedOn }) });

  it.each<[string, Snapshot | null, Partial<Snapshot>, boolean]>([
    ['published before the extract', extract('2026-11-08').snapshot, { publishedOn: '2026-11-07' }, true],
    ['published on the day of the extract', extract('2026-11-08').snapshot, { publishedOn: '2026-11-08' }, false],
    [
      'an earlier extract of the same mirror, or of a copy that was rolled back',
      extract('2026-11-08').snapshot,
      { extractedOn: '2026-10-12' },
      false,
    ],
    ['without a date', extract('2026-11-08').snapshot, {}, false],
    ['beside a snapshot without a date', observed({}), { publishedOn: '2026-10-20' }, false],
    ['a baseline', null, { publishedOn: '2026-10-20' }, false],
  ])('is known: %s', (_, snapshot, more, older) => {
    expect(isOlder({ snapshot }, observed(more))).toBe(older);
  });

  it('is kept while later answers state no extract', () => {
    expect(settled(extract('2026-11-08'), observed({ publishedOn: '2026-11-20' }))).toMatchObject({ extractedOn: '2026-11-08' });
    expect(settled(extract('2026-11-08'), observed({ extractedOn: '2026-12-13' }))).toMatchObject({ extractedOn: '2026-12-13' });
  });
});
