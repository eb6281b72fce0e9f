import { pathToFileURL } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readRut } from '../../../src/domain/tax-id.ts';
import { kybLoader } from '../../../src/modules/kyb/loader.ts';
import { taxHealthLoader } from '../../../src/modules/tax-health/loader.ts';
import { sampleJson, samplePath } from '../../support/samples.ts';
import { chile } from './chile.ts';

interface Expected {
  readonly rut: string;
  readonly name: string;
  readonly size: keyof typeof TIERS | null;
  readonly startDate: string;
  readonly endDate: string | null;
  readonly active: boolean;
}
const TIERS = { micro: 'micro', pequena: 'small', mediana: 'medium', grande: 'large' };

describe('real rows of the Chilean tax registry, by URL setting alone', () => {
  it('appear as they are in both checks', async () => {
    const rows: readonly Expected[] = sampleJson('chile-colombia/PUB_EMPRESAS_PJ_2024.sample.expected.json').rows;
    const sample = pathToFileURL(samplePath('chile-colombia/PUB_EMPRESAS_PJ_2024.sample.txt')).href;
    const { ask } = await chile({ given: { QUIPU_SII_EMPRESAS_URL: sample, QUIPU_TAX_DEBTORS_URL: '' } });
    expect(rows).toHaveLength(12);
    for (const { rut, name, size, startDate, endDate, active } of rows) {
      const status = active ? 'active' : 'inactive';
      const kyb = await ask(kybLoader, String(readRut(rut)));
      const foundedYear = Number(startDate.slice(0, 4));
      expect(kyb.value).toMatchObject({ companyName: name, status, verified: active, foundedYear, endDate, source: 'sii' });
      expect(kyb.freshness.dataAsOf).toMatch(/^\d{4}-\d\d-\d\d$/);
      const { value } = await ask(taxHealthLoader, String(readRut(rut)));
      expect(value).toMatchObject({
        companyName: name,
        status,
        revenueTier: size && TIERS[size],
        deregisteredAt: endDate,
        taxDebtor: null,
      });
    }
    expect((await ask(kybLoader, '763718646')).value).toMatchObject({ status: 'not_found', companyName: null });
  });
});
