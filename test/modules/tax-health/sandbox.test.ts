import { describe, expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../../sandbox/server/server.ts';
import { taxDebtorsSimulator } from '../../../sandbox/upstreams/tax-debtors.ts';
import { chileanCompanies } from '../../../sandbox/world/chile/world.ts';
import { taxDebtorsSpec } from '../../../src/modules/tax-health/source.ts';
import { readBytes } from '../../support/read-list.ts';

async function get(path: string) {
  const sandbox = await startSandbox({ simulators: [taxDebtorsSimulator], now: () => Date.parse('2026-11-21T12:00:00Z') });
  onTestFinished(() => sandbox.close());
  const answer = await fetch(sandbox.url + path);
  return { answer, bytes: Buffer.from(await answer.arrayBuffer()) };
}

describe('the simulated list of tax debtors', () => {
  it('is an operator’s export: Windows-1252, dated the first of the month, with people and a typo in it', async () => {
    const { answer, bytes } = await get(taxDebtorsSpec.address.sandbox);
    const text = new TextDecoder('windows-1252').decode(bytes);
    expect(answer.headers.get('last-modified')).toBe('Sun, 01 Nov 2026 00:00:00 GMT');
    expect(text).toMatch(/^rut;razon_social;monto_clp;fecha\r\n/);
    expect(text).toContain('EMPRESA MOROSA INVENTADA N° 1 LTDA');
    expect(text).toContain('67.900.004-X');
  });

  it('lists every debtor of the simulated data with its debt, and no other company', async () => {
    const { bytes } = await get(taxDebtorsSpec.address.sandbox);
    const { entries, version } = await readBytes(taxDebtorsSpec, { 'deudores.csv': bytes });
    const owed = (rut: string) =>
      entries.filter(({ keys }) => keys.includes(`CL:${rut}`)).reduce((sum, { record }) => sum + (record.amountClp ?? 0), 0);
    expect(chileanCompanies.map(({ rut }) => owed(rut))).toEqual(chileanCompanies.map(({ debtClp }) => debtClp ?? 0));
    expect(entries.length).toBeGreaterThan(30);
    expect(version.rowsSkipped).toBe(4);
  });

  it('has nothing else', async () => {
    expect((await get('/tax_debtors_cl/otra.csv')).answer.status).toBe(404);
  });
});
