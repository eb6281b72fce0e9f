import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { chilean, clean, hold, NOW, runMonitor, small, watch } from './command.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ now: () => NOW });
});
afterAll(() => app.close());
afterEach(() => {
  process.exitCode = undefined;
});
beforeEach(async () => {
  await app.db.raw(
    'TRUNCATE monitors, webhook_endpoints, monitor_companies, watched_companies, held_changes, deliveries, delivery_attempts, changes',
  );
  await watch(app);
});

const run = (...args: readonly string[]) => runMonitor(app, ...args);

describe('quipu monitor held', () => {
  it('reports that nothing is held', async () => {
    expect(await run('held')).toEqual({ out: 'There are no held changes.\n', err: '', code: 0 });
    expect((await run('held', '--json')).out).toBe('[]\n');
  });

  it('counts held changes by source, field and reason, and lists them as JSON', async () => {
    await hold(app, 'BR', clean, 'status', 'inactive');
    await hold(app, 'BR', small, 'status', 'inactive');
    await hold(app, 'CL', chilean, 'size', null);
    expect((await run('held')).out).toBe(
      'SOURCE           FIELD   REASON            COMPANIES\n' +
        'receita_federal  status  too many at once  2\n' +
        'sii              size    became empty      1\n',
    );
    expect(JSON.parse((await run('held', '--source', 'SII', '--json')).out)).toEqual([
      {
        country: 'CL',
        identifier: '67.000.001-K',
        source: 'sii',
        reason: 'blank',
        changed_fields: { size: { from: 'large', to: null } },
        held_at: '2026-11-21T11:59:59+00:00',
      },
    ]);
  });

  it('rejects an unknown source', async () => {
    const { out, err, code } = await run('held', '--source', 'nowhere');
    expect({ out, code }).toEqual({ out: '', code: 1 });
    expect(err).toMatch(/There is no source "nowhere". There are: receita_federal, /);
  });
});

describe('quipu monitor release and discard', () => {
  const changes = async () => (await app.db('changes').orderBy('position').select('tax_id')).map(({ tax_id }) => tax_id);
  const held = async () => (await app.db('held_changes').orderBy('tax_id').select('tax_id')).map(({ tax_id }) => tax_id);

  beforeEach(async () => {
    await hold(app, 'BR', clean, 'status', 'inactive');
    await hold(app, 'BR', small, 'size', 'small');
    await hold(app, 'CL', chilean, 'status', 'inactive');
  });

  it('publishes the held change of a formatted tax id', async () => {
    expect(await run('release', '99.010.001/0001-84')).toEqual({ out: 'Released 1 held change.\n', err: '', code: 0 });
    expect([await changes(), await held()]).toEqual([[clean], [small, chilean].sort()]);
  });

  it.each([
    { args: ['--source', 'receita_federal'], released: [clean, small] },
    { args: ['--field', 'status'], released: [clean, chilean] },
    { args: ['--source', 'receita_federal', '--field', 'size'], released: [small] },
    { args: ['--all'], released: [clean, small, chilean] },
  ])('publishes $args', async ({ args, released }) => {
    expect((await run('release', ...args)).out).toMatch(`Released ${released.length} held change`);
    expect((await changes()).sort()).toEqual([...released].sort());
  });

  it('prints the number as JSON', async () => {
    expect((await run('release', '--field', 'status', '--json')).out).toBe('{"released":2}\n');
    expect((await run('discard', '--all', '--json')).out).toBe('{"discarded":1}\n');
  });

  it('deletes discarded changes and publishes nothing', async () => {
    expect(await run('discard', '--field', 'status')).toEqual({ out: 'Discarded 2 held changes.\n', err: '', code: 0 });
    expect([await changes(), await held()]).toEqual([[], [small]]);
  });

  it.each([
    { args: ['release'], error: /Select held changes by tax ids, --source or --field, or all with --all/ },
    { args: ['discard', '--field', 'phone'], error: /no field "phone". There are: status, size, activity/ },
    { args: ['release', '123'], error: /RUT|CNPJ/ },
    { args: ['release', companyByScenario('clean-micro').cnpj], error: /No held change matches/ },
    { args: ['discard', '--source', 'CEIS'], error: /No held change matches/ },
  ])('rejects $args with a one-line error and exit code 1, and releases nothing', async ({ args, error }) => {
    const { out, err, code } = await run(...args);
    expect({ out, code, lines: err.trim().split('\n').length }).toEqual({ out: '', code: 1, lines: 1 });
    expect(err).toMatch(error);
    expect([await changes(), (await held()).length]).toEqual([[], 3]);
  });
});
