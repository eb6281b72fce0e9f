import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { samplePath } from '../../support/samples.ts';
import { siiDb } from './support.ts';

const at = (name: string): string => samplePath(`chile-colombia/${name}`);
const { sii } = siiDb();

interface Expected {
  readonly rut: string;
  readonly name: string;
  readonly salesBracket: number;
  readonly employees: number | null;
  readonly startDate: string | null;
  readonly endDate: string | null;
  readonly activityCode: string | null;
  readonly regionNumber: number | null;
}

const REGIONS = ['TA', 'AN', 'AT', 'CO', 'VS', 'LI', 'ML', 'BI', 'AR', 'LL', 'AI', 'MA', 'RM', 'LR', 'AP', 'NB'];

describe('the sample files', () => {
  it.each(['PUB_EMPRESAS_PJ_2024.sample.txt', 'PUB_EMPRESAS_PJ_2024.latin1.sample.txt'])('%s says what it should', async (name) => {
    const { rows }: { rows: readonly Expected[] } = JSON.parse(await readFile(at('PUB_EMPRESAS_PJ_2024.sample.expected.json'), 'utf8'));
    const copy = sii();
    expect(await copy.sync({ files: [at(name)] })).toMatchObject({ outcome: 'loaded' });
    const { companies, version } = await copy.companies(rows.map(({ rut }) => rut.replace('-', '')));
    const found = rows.flatMap((row) => companies.get(row.rut.replace('-', '')) ?? []);
    expect(found).toHaveLength(version.entries);
    for (const company of found) {
      const row = rows.find(({ rut }) => rut.replace('-', '') === company.rut);
      expect(company).toMatchObject({
        name: row?.name,
        salesBracket: row?.salesBracket,
        workers: row?.employees,
        startedOn: row?.startDate,
        endedOn: row?.endDate,
        region: row?.regionNumber == null ? null : REGIONS[row.regionNumber - 1],
      });
      expect(company.activity?.code ?? null).toBe(row?.activityCode);
    }
  });

  it('together know the new company, the one that never started, and where they are', async () => {
    const copy = sii();
    const names = [
      'PUB_EMPRESAS_PJ_2024.sample.txt',
      'PUB_NOMBRES_PJ.sample.txt',
      'PUB_NOM_ACTECOS.sample.txt',
      'PUB_NOM_DOMICILIO.sample.txt',
    ];
    expect(await copy.sync({ files: names.map(at) })).toMatchObject({ outcome: 'loaded' });
    const { companies } = await copy.companies(['783256274', '533333338', '785000137', '650803019']);
    expect(companies.get('783256274')).toMatchObject({ name: 'ASTRALY SPA', commercialYear: null, startedOn: '2026-01-01' });
    expect(companies.get('533333338')).toMatchObject({ commercialYear: null, startedOn: null, endedOn: null });
    expect(companies.get('785000137')?.activity).toMatchObject({ code: '012200' });
    expect(companies.get('650803019')).toMatchObject({ name: 'CLUB DEPORTIVO UNION ÑIQUEN' });
  });
});
