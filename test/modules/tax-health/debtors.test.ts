import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { FAULT_MODES } from '../../../sandbox/server/faults.ts';
import { chileanByScenario } from '../../../sandbox/world/chile/world.ts';
import { DAY_MS } from '../../../src/domain/time.ts';
import { tempFolder } from '../../support/files.ts';
import { chile } from './chile.ts';

const rut = (scenario: string): string => chileanByScenario(scenario).rut;
const unknown = { taxDebtor: null, taxDebtAmount: null, taxDebtAsOf: null, debtorsChecked: false, debtorsAsOf: null };
const NOON = Date.parse('2026-11-21T12:00:00Z');

describe('the list of tax debtors', () => {
  it('UP-03 leaves debts null, never false, while no list is provided: the source is off, not failed', async () => {
    const { sources, list, lines, taxHealth } = await chile({ given: { QUIPU_TAX_DEBTORS_URL: '' } });
    expect(await taxHealth('cl-debtor')).toMatchObject({ status: 'active', riskSignals: [], ...unknown });
    expect(await list.status()).toMatchObject({ off: true, usable: false, lastError: null, list: null });
    expect(sources.copies.map(({ name }) => name)).toEqual(['sii']);
    expect(lines.filter((line) => line.list === 'TAX_DEBTORS_CL')).toEqual([]);
  });

  // These load nevertheless: a late answer, one row in ten of a first version, another charset that the bytes reveal.
  const harmless: readonly string[] = ['slow', 'shrunk', 'wrong_charset'];
  const endless: readonly string[] = ['hung', 'silent_after_headers', 'drip', 'endless_body', 'gzip_bomb'];

  it('UP-03 leaves debts null while the list cannot be loaded and answers the rest, in every failure mode', async () => {
    const { list, sandbox, taxHealth } = await chile({ fault: 'down', now: () => NOON });
    const riskSignals = ['inactive_company', 'recently_deregistered', 'micro_revenue_tier'];
    for (const mode of FAULT_MODES.filter((one) => !harmless.includes(one) && !endless.includes(one))) {
      sandbox.faults.set('TAX_DEBTORS_CL', { mode });
      expect([mode, await list.sync()]).toMatchObject([mode, { outcome: 'refused' }]);
      expect([mode, await taxHealth('cl-troubled')]).toMatchObject([mode, { status: 'inactive', riskSignals, ...unknown }]);
    }
    expect(await list.status()).toMatchObject({ usable: false, lastError: expect.any(String) });
    sandbox.faults.clear();
    expect(await list.sync()).toMatchObject({ outcome: 'loaded' });
    expect(await taxHealth('cl-troubled')).toMatchObject({ taxDebtor: true, riskSignals: ['tax_debtor', ...riskSignals] });
  }, 60_000);

  it('is used for eight days after the last sync, and not after', async () => {
    let now = NOON;
    const { taxHealth } = await chile({ now: () => now });
    const debt = { taxDebtor: true, taxDebtAmount: 18_450_000, taxDebtAsOf: '2026-07-31', debtorsChecked: true, debtorsAsOf: '2026-11-01' };
    expect(await taxHealth('cl-debtor')).toMatchObject(debt);
    now += 8 * DAY_MS - 1;
    expect(await taxHealth('cl-debtor')).toMatchObject(debt);
    now += 1;
    expect(await taxHealth('cl-debtor')).toMatchObject({ status: 'active', ...unknown });
  });

  it('is read from the operator’s own file, and again when it changes', async () => {
    const file = path.join(await tempFolder(), 'deudores.csv');
    await writeFile(file, `RUT,monto_clp,fecha\n${rut('cl-clean')},1500,2026-10-01\n`);
    const { list, taxHealth } = await chile({ given: { QUIPU_TAX_DEBTORS_URL: pathToFileURL(file).href } });
    expect(await taxHealth('cl-clean')).toMatchObject({ taxDebtor: true, taxDebtAmount: 1_500, taxDebtAsOf: '2026-10-01' });
    expect(await taxHealth('cl-debtor')).toMatchObject({ taxDebtor: false, taxDebtAmount: null, taxDebtAsOf: null, debtorsChecked: true });
    await writeFile(file, `rut;monto_clp;fecha\n${rut('cl-debtor')};;\n`);
    expect(await list.sync()).toMatchObject({ outcome: 'loaded' });
    expect(await taxHealth('cl-clean')).toMatchObject({ taxDebtor: false, riskSignals: [] });
    expect(await taxHealth('cl-debtor')).toMatchObject({ taxDebtor: true, taxDebtAmount: null, riskSignals: ['tax_debtor'] });
  });

  it('UP-03 leaves the debts of a company null whose number it has without a right check digit only', async () => {
    const file = path.join(await tempFolder(), 'deudores.csv');
    const rows = Array.from({ length: 40 }, (_, i) => `${rut('cl-debtor')};${i + 1};2026-10-01`);
    const number = rut('cl-clean').slice(0, -1);
    await writeFile(file, ['rut;monto_clp;fecha', `${number};1500;2026-10-01`, ...rows, ''].join('\n'));
    const { list, taxHealth } = await chile({ given: { QUIPU_TAX_DEBTORS_URL: pathToFileURL(file).href } });
    expect(await taxHealth('cl-clean')).toMatchObject({ status: 'active', riskSignals: [], ...unknown });
    expect(await taxHealth('cl-troubled')).toMatchObject({ taxDebtor: false, debtorsChecked: true });
    await writeFile(file, ['rut;monto_clp;fecha', `${number};1500;2026-10-01`, `${rut('cl-clean')};20;2026-10-01`, ...rows, ''].join('\n'));
    expect(await list.sync()).toMatchObject({ outcome: 'loaded' });
    expect(await taxHealth('cl-clean')).toMatchObject({ taxDebtor: true, taxDebtAmount: 20 });
  });

  it.each([
    ['a rounded RUT may mean', (bare: string) => `${bare[0]},${bare.slice(1, 8)}E+08`, false],
    ['a RUT without digits may mean', () => '########', null],
  ])('UP-03 leaves the debts of a company null that %s, also when the list is in memory', async (_, printed, ofOthers) => {
    const file = path.join(await tempFolder(), 'deudores.csv');
    const rows = Array.from({ length: 40 }, (_, i) => `${rut('cl-debtor')};${i + 1};2026-10-01`);
    await writeFile(file, ['rut;monto_clp;fecha', `${printed(rut('cl-large'))};1500;2026-10-01`, ...rows, ''].join('\n'));
    const { taxHealth } = await chile({ given: { QUIPU_TAX_DEBTORS_URL: pathToFileURL(file).href } });
    for (let i = 0; i < 2; i += 1) expect(await taxHealth('cl-large')).toMatchObject({ status: 'active', riskSignals: [], ...unknown });
    expect(await taxHealth('cl-debtor')).toMatchObject({ taxDebtor: true, debtorsChecked: true });
    expect((await taxHealth('cl-troubled')).taxDebtor).toBe(ofOthers);
  });

  it('DB-06 is not replaced by a version with a tenth fewer rows without an operator’s consent', async () => {
    const file = path.join(await tempFolder(), 'deudores.csv');
    const text = (rows: number) => `rut;monto_clp;fecha\n${`${rut('cl-debtor')};1;2026-10-01\n`.repeat(rows)}`;
    await writeFile(file, text(20));
    const { list, taxHealth } = await chile({ given: { QUIPU_TAX_DEBTORS_URL: pathToFileURL(file).href } });
    await writeFile(file, text(17));
    expect(await list.sync()).toMatchObject({ outcome: 'refused', reason: 'shrunk' });
    expect(await taxHealth('cl-debtor')).toMatchObject({ taxDebtor: true });
    expect(await list.sync({ force: true })).toMatchObject({ outcome: 'loaded' });
  });
});
