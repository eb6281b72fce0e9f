import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { compositionRows } from '../../../sandbox/upstreams/cl-ownership.ts';
import { chileanByScenario } from '../../../sandbox/world/chile/world.ts';
import type { CompanyKey } from '../../../src/domain/company.ts';
import { monitorService } from '../../../src/modules/monitor/service/monitor.ts';
import { clOwnership } from '../../../src/sources/cl-ownership/source.ts';
import { fileOf, onDisk } from '../../sources/cl-ownership/support.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { appWithChile } from '../tax-health/chile.ts';
import { changeLog, deleteMonitors, watch } from './support.ts';

const NEVER = new AbortController().signal;
const rut = (scenario: string): string => chileanByScenario(scenario).rut;
const keyOf = (scenario: string): CompanyKey => ({ country: 'CL', taxId: rut(scenario) });

let app: TestApp;
let other: TestApp;
beforeAll(async () => {
  app = await appWithChile();
  other = await testApp({ db: { url: app.db.client.config.connection.connectionString } });
}, 120_000);
afterAll(async () => {
  await other.close();
  await app.close();
});
beforeEach(async () => {
  await load(compositionRows);
  await deleteMonitors(app.db);
});

/** Loads a file of owners. Equal files differ by an empty line, because a file with a known checksum is not loaded. */
let files = 0;
async function load(rows: readonly string[]) {
  files += 1;
  const file = await onDisk(fileOf([...rows, ...Array.from({ length: files }, () => '')]));
  expect(await app.sources.use(clOwnership).sync({ files: [file], force: true })).toMatchObject({ outcome: 'loaded' });
}

/** Returns the rows of the file in which rows of one company are others. */
const withRows = (scenario: string, change: (row: string) => string | null): readonly string[] =>
  compositionRows.flatMap((row) => (row.startsWith(`${rut(scenario).slice(0, -1)};`) ? (change(row) ?? []) : row));

const checks = (of: TestApp = app) => of.open(monitorService).checks;
const due = async () => Number((await app.db('watched_companies').where('due_at', '<=', new Date()).count({ n: '*' }))[0]?.n);
const fieldsOf = async () => (await changeLog(app.db)).map(({ company, source, fields }) => [company.taxId, source, fields]);

async function watched(...scenarios: readonly string[]): Promise<void> {
  await watch(app.db, scenarios.map(keyOf), { recordNews: true });
  await checks().tick();
  await checks().check('CL', NEVER);
  expect(await changeLog(app.db)).toEqual([]);
}

const nameAnd = (scenario: string, share: string) => `${chileanByScenario(scenario).name} (${rut(scenario)}) ${share} %`;

describe('the owners of watched Chilean companies, after the file of another year', () => {
  it('make those due that changed, and are reported once, also by a second process and a regular check', async () => {
    await watched('cl-medium', 'cl-large', 'cl-crowd-2');
    const partner = rut('cl-crowd-3').slice(0, -1);
    await load(withRows('cl-medium', (row) => (row.includes(`;${partner};`) ? null : row)));
    await checks().tick();
    expect(await due()).toBe(1);

    await checks(other).tick();
    await Promise.all([checks().check('CL', NEVER), checks(other).check('CL', NEVER)]);
    const left = { field: 'owners', from: nameAnd('cl-crowd-3', '33.33'), to: null };
    expect(await fieldsOf()).toEqual([[rut('cl-medium'), 'sii', [left]]]);

    await app.db('watched_companies').update({ due_at: new Date() });
    await checks().check('CL', NEVER);
    await checks().tick();
    expect(await due()).toBe(0);
    expect(await changeLog(app.db)).toHaveLength(1);
  }, 120_000);

  it.each([
    [
      'a new share in both texts',
      (row: string) => row.replace(/;70,5$/, ';60,5').replace(/;29,5$/, ';39,5'),
      { from: expect.stringContaining('70.5 %'), to: expect.stringContaining('39.5 %') },
    ],
    ['an owner that joined, beside the natural persons', null, { from: null, to: 'Personas naturales 12.5 %' }],
  ])(
    'have %s',
    async (_, change, texts) => {
      await watched('cl-large');
      const [row = ''] = compositionRows.filter((one) => one.startsWith(`${rut('cl-large').slice(0, -1)};`));
      const people = `${row.split(';').slice(0, 4).join(';')};;;Personas Naturales;12,5`;
      await load(change === null ? [people, ...compositionRows] : withRows('cl-large', change));
      await checks().tick();
      await checks().check('CL', NEVER);
      expect(await fieldsOf()).toEqual([[rut('cl-large'), 'sii', [{ field: 'owners', ...texts }]]]);
    },
    60_000,
  );

  it('are no news while the file lacks the company, and after a file that has it again', async () => {
    await watched('cl-large');
    await load(withRows('cl-large', () => null));
    await app.db('watched_companies').update({ due_at: new Date() });
    await checks().check('CL', NEVER);
    await load(compositionRows);
    await app.db('watched_companies').update({ due_at: new Date() });
    await checks().check('CL', NEVER);
    expect(await changeLog(app.db)).toEqual([]);
  }, 60_000);

  it('are reported by the next process if the first one ends before its result is stored', async () => {
    await watched('cl-large');
    await load(withRows('cl-large', (row) => row.replace(/;70,5$/, ';60,5')));
    await checks().tick();
    const claimed = await app.db('watched_companies').update({ lease: '00000000-0000-4000-8000-000000000001', leased_until: new Date(0) });
    expect(claimed).toBe(1);
    await checks().check('CL', NEVER);
    expect(await changeLog(app.db)).toHaveLength(1);
  }, 60_000);
});
