import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { DAY_MS, isoDate } from '../../src/domain/time.ts';
import { importFolder } from '../../src/sources/receita-federal/copy/import.ts';
import { cnpjOf, dateInNames, establishment, folderOf, monthOf, rowsOf } from '../sources/receita-copy/support.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { importParts } from '../support/registry-copy.ts';

/** A clock that tests move, 20 days after the extract. */
const clock = { now: Date.now() };
const extractedOn = isoDate(clock.now - 20 * DAY_MS);
const now = () => clock.now;

let db: TestDb;
beforeAll(async () => {
  db = await testDb();
});
afterAll(() => db.close());

/** The service on the database of this file. */
async function serviceIn(mode: string, env: Readonly<Record<string, string>> = {}): Promise<TestApp> {
  const app = await testApp({ db, now, env: { QUIPU_RECEITA_MODE: mode, QUIPU_METRICS_PORT: '0', ...env } });
  onTestFinished(() => app.close());
  return app;
}

const MISSING = /^The own copy of the Brazilian registry is not loaded, and .*: run quipu import receita\.$/;
const detailsOf = async (app: TestApp): Promise<readonly string[]> => (await app.server.inject('/readyz')).json().details;
const sourceOf = async (app: TestApp) =>
  (await app.server.inject({ url: '/v1/sources', headers: { 'x-api-key': app.key } }))
    .json()
    .sources.find(({ name }: { name: string }) => name === 'receita_federal');

describe('the copy of the Brazilian registry, before its first import', () => {
  it('is a failed source in the mode copy, and the start and /readyz say what to do', async () => {
    const app = await serviceIn('copy');
    expect(await sourceOf(app)).toMatchObject({ usable: false, list: null, last_success_at: null });
    expect(app.lines.map(({ msg }) => msg)).toContainEqual(expect.stringMatching(MISSING));
    expect(await detailsOf(app)).toContainEqual(expect.stringMatching(/not loaded, and every check of a Brazilian company fails/));
  });

  it('leaves the source usable in the mode copy-then-live, and the start says that the mirrors answer', async () => {
    const app = await serviceIn('copy-then-live');
    expect(await sourceOf(app)).toMatchObject({ usable: true, list: null });
    expect(await detailsOf(app)).toContainEqual(expect.stringMatching(/not loaded, and the mirrors answer for every Brazilian company/));
  });

  it('does not keep the service from starting when its import fails, and /readyz says that it is tried again', async () => {
    const share = {
      QUIPU_RECEITA_IMPORT: 'on',
      QUIPU_RECEITA_SHARE_URL: 'http://127.0.0.1:1/index.php/s/none',
      QUIPU_ROLES: 'server,worker',
    };
    const app = await serviceIn('copy-then-live', share);
    const failed = () => app.lines.filter(({ msg }) => msg === 'the month of the Brazilian registry was not loaded');
    await expect.poll(failed, { timeout: 30_000 }).toMatchObject([{ level: 40, reason: 'share' }]);
    expect((await app.server.inject('/readyz')).statusCode).toBe(200);
    expect(await detailsOf(app)).toContainEqual(
      expect.stringMatching(/not loaded, and the mirrors .*: its import runs, or is tried again/),
    );
  });

  it('is not mentioned in the mode live', async () => {
    const app = await serviceIn('live');
    expect(await sourceOf(app)).toMatchObject({ usable: true, list: null });
    expect((await detailsOf(app)).join()).not.toMatch(/copy/);
  });
});

describe('the copy of the Brazilian registry, after its import', () => {
  beforeEach(async () => {
    await importFolder(await folderOf(monthOf(30), dateInNames(extractedOn)), importParts({ db: db.knex, now }));
  });

  it.each(['copy', 'copy-then-live', 'live'])(
    'has its version, extract date, rows and limits in REST and GraphQL in the mode %s',
    async (mode) => {
      const app = await serviceIn(mode);
      const source = await sourceOf(app);
      expect(source).toMatchObject({
        usable: true,
        list: { published_on: extractedOn, entries: 30, rows_unmatched: 0, checksum: expect.stringMatching(/^[\da-f]{64}$/) },
      });
      expect(isoDate(Date.parse(source.list.good_until))).toBe(isoDate(Date.parse(extractedOn) + 75 * DAY_MS));
      expect(Date.parse(source.list.sync_due_at) - Date.parse(source.list.checked_at)).toBe(31 * DAY_MS);
      const { body } = await app.query('{ sources { name usable list { publishedOn entries loadedAt goodUntil } } }');
      expect(body.data.sources).toContainEqual({
        name: 'RECEITA_FEDERAL',
        usable: true,
        list: {
          publishedOn: extractedOn,
          entries: 30,
          loadedAt: source.list.loaded_at,
          goodUntil: source.list.good_until,
        },
      });
      expect((await app.server.inject('/status.json')).json().sources).toContainEqual(
        expect.objectContaining({ name: 'receita_federal', list: expect.objectContaining({ published_on: extractedOn, entries: 30 }) }),
      );
    },
  );

  it('has the owners of a branch also where the head office has another number', async () => {
    const root = '99100000';
    const places = [establishment(root, '0001', { 3: '2' }), establishment(root, '0002', { 3: '1' })];
    const month = { ...monthOf(30), Estabelecimentos0: [...places, ...rowsOf(monthOf(30), 'Estabelecimentos0').slice(1)], Socios0: [] };
    await importFolder(await folderOf(month, dateInNames(isoDate(clock.now - 10 * DAY_MS))), importParts({ db: db.knex, now }), {
      force: true,
    });
    const app = await serviceIn('copy');
    const { status, body } = await app.post('/v1/owners', { identifier: cnpjOf(root), country: 'BR' });
    expect([status, body.company_name, body.owners]).toEqual([200, `EMPRESA ${root}`, []]);
  });

  it('has its age and the time until it is overdue in the metrics', async () => {
    const app = await serviceIn('copy');
    const text = (await app.metrics?.inject('/metrics'))?.body ?? '';
    expect(text).toMatch(/^quipu_list_age_seconds\{source="receita_federal"\} \d/m);
    const [, seconds] = /^quipu_list_usable_seconds\{source="receita_federal"\} (\d+)/m.exec(text) ?? [];
    expect(Number(seconds)).toBeGreaterThan(54 * 86_400);
    expect(Number(seconds)).toBeLessThan(56 * 86_400);
  });

  it('is a failed source when its extract is too old, and /readyz says so', async () => {
    const before = clock.now;
    clock.now += 60 * DAY_MS;
    onTestFinished(() => {
      clock.now = before;
    });
    const app = await serviceIn('copy');
    expect(await sourceOf(app)).toMatchObject({ usable: false, list: { published_on: extractedOn } });
    expect(await detailsOf(app)).toContainEqual(expect.stringMatching(/is overdue, because its extract is more than 75 days old/));
  });
});
