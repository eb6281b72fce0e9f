import { afterEach, describe, expect, it, onTestFinished } from 'vitest';
import { ordersTable } from '../../../sandbox/upstreams/mercadopublico/bulk.ts';
import { chileanByScenario } from '../../../sandbox/world/chile/world.ts';
import { importCommand, tendersImport } from '../../../src/cli/import.ts';
import { chileanDate, DAY_MS } from '../../../src/domain/time.ts';
import { monthAfter } from '../../../src/modules/tenders/sources/index-plan.ts';
import type { TestApp } from '../../support/app.ts';
import { tendersApp } from './core-app.ts';

afterEach(() => {
  process.exitCode = undefined;
});

/** Runs `quipu import tenders …` and returns its output. */
async function run(app: Pick<TestApp, 'sources'> | null, ...args: readonly string[]) {
  const said = { out: [] as string[], steps: new Set<string>() };
  const command = importCommand([tendersImport], {
    open: async () => {
      if (!app) throw new Error('nothing is to be opened');
      return { sources: app.sources, close: async () => undefined };
    },
    io: { out: (text) => void said.out.push(text), err: () => undefined },
    progress: () => ({ report: ({ step }) => void said.steps.add(step), stop: () => undefined }),
  });
  await command.parseAsync(['tenders', ...args], { from: 'user' });
  return { out: said.out.join(''), steps: [...said.steps] };
}

describe('quipu import tenders', () => {
  it('syncs the marketplaces that have an index, and prints the results', async () => {
    const app = await tendersApp();
    onTestFinished(() => app.close());
    const said = await run(app);
    expect(said.out).toMatch(/^mercadopublico: unchanged, \d+ entries\npncp: (unchanged|loaded), \d+ entries\n$/);
  }, 120_000);

  it('loads the given months of one country, with progress', async () => {
    const app = await tendersApp();
    onTestFinished(() => app.close());
    await app.lists.stop();
    await app.db.raw('TRUNCATE tender_rows, tender_slices, tender_indexes');
    const newest = chileanDate(Date.now()).slice(0, 7);
    const oldest = monthAfter(newest, -1);
    const { out, steps } = await run(app, '--country', 'CL', '--from', oldest, '--to', newest, '--json');
    expect(JSON.parse(out)).toMatchObject({ mercadopublico: { outcome: 'loaded' } });
    const months = steps.map((step) => step.split('/')[1]);
    expect(months).toContain(oldest);
    expect(months.filter((month) => month !== newest && month !== oldest)).toEqual([]);
    const { body } = await app.post('/v1/tenders', { rut: chileanByScenario('cl-supplier').rut });
    expect(body.coverage).toMatch('Not indexed yet: ');
    // The files end with yesterday, so at the beginning of a month there is none of it.
    const isPublished = ordersTable(newest, chileanDate(Date.now() - DAY_MS)).rows.length > 0;
    expect(body.coverage).toMatch(`to ${monthAfter(oldest, -1)}${isPublished ? '' : `, ${newest}`}.`);
  }, 120_000);

  it.each([
    ['--from', '2026-13'],
    ['--to', 'november'],
    ['--from', '2026-11', '--to', '2026-10'],
    ['--file', 'package.json'],
    ['--file', 'package.json', '--country', 'BR'],
    ['--file', 'package.json', '--country', 'CL', '--from', '2026-10'],
  ])('rejects %s %s %s %s', async (...args) => {
    await expect(run(null, ...args)).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
});
