import { describe, expect, it, onTestFinished } from 'vitest';
import type { FaultMode } from '../../sandbox/server/faults.ts';
import { startSandbox } from '../../sandbox/server/server.ts';
import { siiSimulator } from '../../sandbox/upstreams/sii.ts';
import { ACTIVITIES, chileanOn } from '../../sandbox/world/chile/company.ts';
import { chileanByScenario, chileanCompanies } from '../../sandbox/world/chile/world.ts';
import { DAY_MS, isoDate } from '../../src/domain/time.ts';
import { siiDb } from '../sources/sii/support.ts';
import { bytesOf, cp1252, NOON, unzip } from './support.ts';

const FILES = {
  EMPRESAS: 'PUB_EMPRESAS_PJ_2020_A_2025.zip',
  NOMBRES: 'PUB_NOMBRES_PJ.zip',
  ACTIVIDADES: 'PUB_NOM_ACTECOS.zip',
  DOMICILIOS: 'PUB_NOM_DIRECCIONES.zip',
} as const;
const { sii } = siiDb();

async function sandboxed(at = NOON) {
  const sandbox = await startSandbox({ simulators: [siiSimulator], now: () => at });
  onTestFinished(() => sandbox.close());
  const get = (name: string): Promise<Response> => fetch(`${sandbox.url}/sii/${name}`);
  const members = async (name: string): Promise<ReadonlyMap<string, Buffer>> => unzip(await bytesOf(await get(name)));
  const urls = Object.fromEntries(Object.entries(FILES).map(([setting, name]) => [setting, `${sandbox.url}/sii/${name}`]));
  return { sandbox, get, members, copy: sii({ urls, origin: 'sandbox' }) };
}

const rowsOf = (text: string): readonly (readonly string[])[] =>
  text
    .split('\r\n')
    .slice(1, -1)
    .map((line) => line.split('\t'));

describe('the sandbox’s files of the Chilean tax registry', () => {
  it('are zips of Windows-1252 text with the publisher’s own headers', async () => {
    const { get, members } = await sandboxed();
    const years = await members(FILES.EMPRESAS);
    expect([...years.keys()]).toEqual([2025, 2024, 2023, 2022, 2021, 2020].map((year) => `PUB_EMPRESAS_PJ_${year}.txt`));
    const text = cp1252(years.get('PUB_EMPRESAS_PJ_2025.txt') ?? Buffer.alloc(0));
    expect(text.split('\r\n')[0]).toMatch(/^Año comercial\tRUT\tDV\t.*\tNúmero de trabajadores dependie\t/);
    expect(text).toContain('VIÑA ÑANDÚ & PEÑALOLÉN "EL SUEÑO" S.A.');
    expect(rowsOf(text).every((cells) => cells.length === 22 && cells[0] === '2025')).toBe(true);
    expect([...(await members(FILES.NOMBRES)).keys()]).toEqual(['PUB_NOMBRES_PJ.txt', 'CODIGO_TIPO_SUBTIPO.txt']);
    expect([...(await members(FILES.ACTIVIDADES)).keys()]).toEqual(['PUB_NOM_ACTECOS.txt']);
    expect([...(await members(FILES.DOMICILIOS)).keys()]).toEqual(['PUB_NOM_DOMICILIO.txt', 'PUB_NOM_SUCURSAL.txt']);
    expect((await get(FILES.EMPRESAS)).headers.get('last-modified')).toBe('Mon, 09 Nov 2026 00:00:00 GMT');
    expect((await get('PUB_OTRA_COSA.zip')).status).toBe(404);
  });

  it('contain blank worker counts and companies that are absent from some years', async () => {
    const { members } = await sandboxed();
    const years = await members(FILES.EMPRESAS);
    const number = (scenario: string) => chileanByScenario(scenario).rut.slice(0, -1);
    const yearsOf = (scenario: string) =>
      [...years]
        .filter(([, bytes]) => rowsOf(cp1252(bytes)).some((cells) => cells[1] === number(scenario)))
        .map(([name]) => name.slice(16, 20));
    const newest = rowsOf(cp1252(years.get('PUB_EMPRESAS_PJ_2025.txt') ?? Buffer.alloc(0)));
    expect(newest.find((cells) => cells[1] === number('cl-not-informed'))?.[5]).toBe('');
    expect(yearsOf('cl-clean')).toEqual(['2025', '2024', '2023', '2022', '2021', '2020']);
    expect([yearsOf('cl-ended-2022')[0], yearsOf('cl-crowd-6')[0], yearsOf('cl-new'), yearsOf('cl-unknown')]).toEqual([
      '2022',
      '2024',
      [],
      [],
    ]);
    expect(yearsOf('cl-resumed')).toEqual(['2025', '2024', '2023', '2021', '2020']);
  });

  it('yield the companies of the sandbox when they are loaded', async () => {
    const { copy } = await sandboxed();
    expect(await copy.sync()).toMatchObject({ outcome: 'loaded', version: { publishedOn: '2026-11-09' } });
    const { companies } = await copy.companies(chileanCompanies.map(({ rut }) => rut));
    for (const company of chileanCompanies.map((company) => chileanOn(company, NOON))) {
      const found = companies.get(company.rut);
      if (company.knownTo === 'none') {
        expect(found).toBeUndefined();
        continue;
      }
      const { name, startedOn, endedOn } = company;
      expect({ scenario: company.scenario, found }).toMatchObject({ scenario: company.scenario, found: { name, startedOn, endedOn } });
      if (found?.commercialYear === null) continue;
      const activity = { code: company.activity, description: ACTIVITIES[company.activity][0] };
      const { bracket: salesBracket, workers, commune, kind } = company;
      expect({ scenario: company.scenario, found }).toMatchObject({
        scenario: company.scenario,
        found: { salesBracket, workers, commune, kind, activity },
      });
    }
  });

  it.each(['2026-11-21', '2028-03-01'])('have dates of the last year for recent events on %s', async (day) => {
    const now = Date.parse(day);
    const { copy } = await sandboxed(now);
    await copy.sync();
    const of = async (scenario: string) =>
      (await copy.companies([chileanByScenario(scenario).rut])).companies.get(chileanByScenario(scenario).rut);
    const year = isoDate(now - 365 * DAY_MS);
    for (const date of [(await of('cl-new'))?.startedOn, (await of('cl-ended-recently'))?.endedOn, (await of('cl-troubled'))?.endedOn]) {
      expect(date).toSatisfy((text: string) => text > year && text < day);
    }
    expect(await of('cl-new')).toMatchObject({ commercialYear: null, endedOn: null, activity: { code: '620200' } });
  });

  it.each<FaultMode>(['malformed', 'wrong_shape', 'wrong_columns', 'shrunk', 'empty', 'html_200', 'html_404', 'truncated', 'status_500'])(
    'DB-06 are refused when damaged by %s, and the old version answers',
    async (mode) => {
      const { sandbox, copy } = await sandboxed();
      expect(await copy.sync()).toMatchObject({ outcome: 'loaded' });
      sandbox.faults.set('sii', { mode });
      expect(await copy.sync()).toMatchObject({ outcome: 'refused' });
      expect((await copy.companies([chileanByScenario('cl-clean').rut])).companies.size).toBe(1);
    },
  );
});
