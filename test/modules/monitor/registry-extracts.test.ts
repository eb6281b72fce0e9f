import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { MINUTE_MS } from '../../../src/domain/time.ts';
import { monitorService } from '../../../src/modules/monitor/service/monitor.ts';
import { importFolder } from '../../../src/sources/receita-federal/copy/import.ts';
import { cnpjOf, company, type Files, folderOf, monthOf, roots } from '../../sources/receita-copy/support.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { COPY_MODE, importParts, loadSandboxCopy } from '../../support/registry-copy.ts';
import { brazilian, changeLog, watch } from './support.ts';

const NEVER = new AbortController().signal;

let app: TestApp;
let now: number;
beforeAll(async () => {
  now = Date.parse('2026-11-28T12:00:00Z');
  app = await testApp({ env: { ...COPY_MODE, QUIPU_MONITOR_INTERVAL: '6h' }, now: () => now });
}, 60_000);
afterAll(() => app.close());

const checks = () => app.open(monitorService).checks;
const due = async () => Number((await app.db('watched_companies').where('due_at', '<=', new Date(now)).count({ n: '*' }))[0]?.n);
/** Lets the process see the version that answers, and makes the companies due that changed. */
async function tick(): Promise<void> {
  for (let n = 0; n < 2; n += 1) {
    now += MINUTE_MS;
    await checks().tick();
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

describe('watched companies, after an import of the next month', () => {
  it('are due if they changed, and each change is reported once, also by a second process and a regular check', async () => {
    await loadSandboxCopy(app, '2026-10', () => now);
    const scenarios = ['clean-hotel', 'clean-school', 'clean-wholesale', 'judicial-recovery', 'clean-micro', 'clean-sa-open', 'clean'];
    const keys = scenarios.map((scenario) => brazilian(companyByScenario(scenario).cnpj));
    await watch(app.db, keys, { now, recordNews: true });
    await tick();
    await checks().check('BR', NEVER);
    expect(await changeLog(app.db)).toEqual([]);

    await loadSandboxCopy(app, '2026-11', () => now);
    await tick();
    expect(await due()).toBe(4);
    const other = await testApp({
      db: { url: app.db.client.config.connection.connectionString },
      env: { ...COPY_MODE, QUIPU_MONITOR_INTERVAL: '6h' },
      now: () => now,
    });
    await other.open(monitorService).checks.tick();
    await Promise.all([checks().check('BR', NEVER), other.open(monitorService).checks.check('BR', NEVER)]);
    await other.close();
    expect(await due()).toBe(0);
    const fields = (await changeLog(app.db)).map(({ company, fields }) => [company.taxId, fields.map(({ field }) => field)]);
    expect(fields.toSorted()).toEqual(
      [
        ['clean-hotel', 'name'],
        ['clean-school', 'owners'],
        ['clean-wholesale', 'address'],
        ['judicial-recovery', 'special_situation'],
      ]
        .map(([scenario = '', field]) => [companyByScenario(scenario).cnpj, [field]])
        .toSorted(),
    );

    await app.db('watched_companies').update({ due_at: new Date(now) });
    await checks().check('BR', NEVER);
    await tick();
    expect(await changeLog(app.db)).toHaveLength(4);
  }, 60_000);

  it('are no mass change if few of all watched companies changed', async () => {
    const load = async (files: Files, date: string) => {
      await importFolder(await folderOf(files, date), importParts({ db: app.db, now: () => now }), { force: true });
    };
    const month = monthOf(300);
    await load(month, 'D61115');
    await watch(
      app.db,
      roots(300).map((root) => brazilian(cnpjOf(root))),
      { now },
    );
    await tick();
    await checks().check('BR', NEVER);
    const before = (await changeLog(app.db)).length;

    await load({ ...month, Empresas0: roots(300).map((root, i) => company(root, i < 12 ? `OUTRA ${root}` : undefined)) }, 'D61120');
    await tick();
    expect(await due()).toBe(12);
    await checks().check('BR', NEVER);
    expect((await changeLog(app.db)).length - before).toBe(12);
    expect(await app.db('held_changes').where({ reason: 'share' })).toEqual([]);
  }, 60_000);
});
