import { existsSync, readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatCnpj } from '../../src/domain/tax-id.ts';
import { DEBARMENT_LISTS, OPTIONAL_DEBARMENT_LISTS } from '../../src/modules/debarment/domain.ts';
import { optionalDebarmentSources } from '../../src/modules/debarment/sources/optional.ts';
import { LABOR_LISTS } from '../../src/modules/labor/domain.ts';
import { ALL_SANCTIONS_LISTS, SANCTIONS_LISTS } from '../../src/modules/sanctions/domain.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { samplePath } from '../support/samples.ts';
import { startUpstream } from '../support/upstream.ts';

const file = (name: string): string => pathToFileURL(samplePath(name)).href;

const LISTS: Readonly<Record<string, string>> = {
  QUIPU_CEIS_URL: file('brazil/debarment/20260930_CEIS.zip'),
  QUIPU_CNEP_URL: file('brazil/debarment/20260930_CNEP.csv'),
  QUIPU_CEPIM_URL: file('brazil/debarment/20260928_CEPIM.zip'),
  QUIPU_TCU_TERMS: 'accepted',
  QUIPU_TCU_URL: file('brazil/tcu/responsaveis_inidoneos.json'),
  QUIPU_BCB_URL: file('brazil/optional-lists/bcb_qgp.SYNTHETIC.json'),
  QUIPU_LENIENCY_URL: file('brazil/optional-lists/20261005_Acordos.SYNTHETIC.csv'),
  QUIPU_LABOR_URL: file('brazil/labor/cadastro_de_empregadores.SYNTHETIC.csv'),
  QUIPU_SII_EMPRESAS_URL: file('chile-colombia/PUB_EMPRESAS_PJ_2024.sample.txt'),
  QUIPU_MULTAS_SECOP_I_URL: file('colombia-rues/secop1_multas_4n4q.SYNTHETIC.json'),
  QUIPU_MULTAS_SECOP_II_URL: file('colombia-rues/secop2_multas_it5q.SYNTHETIC.json'),
  QUIPU_OFAC_SDN_URL: file('sanctions/ofac-2023-12-28/sdn.csv'),
  QUIPU_UN_URL: file('sanctions/un/consolidated-2025-11-20.xml'),
  QUIPU_OFAC_NON_SDN_URL: file('sanctions/more/cons_prim.csv'),
  QUIPU_EU_SANCTIONS_URL: file('sanctions/more/eu.xml'),
  QUIPU_UK_SANCTIONS_URL: file('sanctions/more/uk.csv'),
  QUIPU_WORLD_BANK_URL: file('sanctions/more/world-bank.json'),
};
/** Optional lists of which the repository has no sample: they are off, so that no publisher is called. */
const withoutSample = optionalDebarmentSources.filter(({ spec }) => !(spec.setting in LISTS));

describe('a service with real records, configured by URL settings', () => {
  let app: TestApp;
  let registry: Awaited<ReturnType<typeof startUpstream>>;
  beforeAll(async () => {
    registry = await startUpstream((asked) => {
      const recorded = samplePath(`brazil/cnpj/brasilapi${asked.replace('/', '_')}.json`);
      return existsSync(recorded)
        ? { body: JSON.parse(readFileSync(recorded, 'utf8')) }
        : {
            status: 404,
            body: { message: `CNPJ ${formatCnpj(asked.slice(1))} não encontrado.`, type: 'not_found', name: 'NotFoundError' },
          };
    });
    app = await testApp({
      env: {
        QUIPU_SOURCES: 'live',
        QUIPU_RECEITA_URL: registry.url,
        QUIPU_RECEITA_FALLBACK_URL: '',
        QUIPU_RUES_URL: 'http://127.0.0.1:1',
        ...LISTS,
        ...Object.fromEntries(withoutSample.map(({ spec }) => [spec.setting, ''])),
      },
    });
  }, 60_000);
  afterAll(async () => {
    await app.close();
    await registry.close();
  });

  it('loads every list with a configured URL', async () => {
    const { body } = await app.query('{ sources { name usable origin lastError list { entries publishedOn } } }');
    const off = withoutSample.map(({ name }) => name as string);
    const given = body.data.sources.filter(({ name, origin }: Record<string, string>) => origin === 'GIVEN' && !off.includes(name ?? ''));
    expect(given.filter(({ usable }: { usable: boolean }) => !usable)).toEqual([]);
    const names = given.map(({ name }: { name: string }) => name);
    const lists = [
      ...DEBARMENT_LISTS,
      ...OPTIONAL_DEBARMENT_LISTS.filter((list) => !off.includes(list)),
      ...LABOR_LISTS,
      ...ALL_SANCTIONS_LISTS,
      'SII',
    ];
    expect(names).toEqual(expect.arrayContaining(['RECEITA_FEDERAL', ...lists]));
  });

  it('returns the consolidated check of a recorded cooperative', async () => {
    const { status, body } = await app.post('/v1/compliance-br', { cnpj: ' 04.311.762/0001-60 ' });
    expect(status).toBe(200);
    expect(body).toEqual({
      cnpj: '04.311.762/0001-60',
      company_name: 'COOPERATIVA MISTA DOS TRABALHADORES AGRO-EXTRATIVISTAS DO ALTO CAJARI',
      risk_level: 'low',
      risk_reasons: [],
      checks: {
        kyb: {
          company_name: 'COOPERATIVA MISTA DOS TRABALHADORES AGRO-EXTRATIVISTAS DO ALTO CAJARI',
          status: 'active',
          verified: true,
          founded_year: 2001,
          data_as_of: null,
        },
        sanctions: { is_sanctioned: false, matches: [], sources_checked: [...SANCTIONS_LISTS] },
        debarment: { is_debarred: false, records: [], sources_checked: ['CEIS', 'CNEP'] },
        labor: { has_violations: false, records: [], sources_checked: ['TRABALHO_ESCRAVO'] },
        owners: { count: 4, owners: expect.any(Array) },
      },
      sources_failed: [],
      completeness: 'complete',
      generated_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/),
    });
    expect(body.checks.owners.owners[1]).toEqual({
      name: 'PESSOA INVENTADA AR',
      role: 'Presidente',
      entity_type: 'individual',
      identifier: '***000044**',
      entry_date: '2019-08-23',
      country: null,
      legal_rep_name: null,
      legal_rep_role: null,
    });
  });

  it('returns a closed company, an alphanumeric branch and an unknown company', async () => {
    const kyb = async (identifier: string) => (await app.post('/v1/kyb', { identifier, country: 'BR' })).body;
    expect(await kyb('08942107000160')).toMatchObject({
      status: 'inactive',
      verified: false,
      end_date: expect.any(String),
      source: 'receita_federal',
    });
    expect(await kyb('00000000e08g12')).toMatchObject({ identifier: '00000000e08g12', status: 'active', founded_year: 2026 });
    expect(await kyb('12.ABC.345/01DE-35')).toMatchObject({ status: 'not_found', company_name: '', verified: false, founded_year: null });
  });

  it('finds a real CEIS record that ended', async () => {
    const { body } = await app.post('/v1/debarment', { identifier: '16.994.189/0001-15', country: 'BR' });
    expect(body).toMatchObject({
      is_debarred: true,
      sources_checked: ['CEIS', 'CNEP'],
      records: [
        {
          source: 'CEIS',
          sanction_type: 'INIDONEIDADE',
          sanctioning_body: 'Prefeitura Municipal de Alpinópolis (MG)',
          date_start: '2015-10-19',
          date_end: '2017-10-19',
          process_id: 'PREGÃO N.008/2015 - CONTRATO 021/2015',
          fine_amount: null,
          status: 'ended',
          matched_on: 'cnpj',
        },
      ],
    });
  });

  it('finds listed Colombian and Brazilian tax ids on the real OFAC list, by country', async () => {
    const sanctions = async (identifier: string, country: string) => (await app.post('/v1/sanctions', { identifier, country })).body;
    expect(await sanctions('800.076.369', 'CO')).toMatchObject({
      is_sanctioned: true,
      matches: [
        {
          list_name: 'OFAC_SDN',
          uid: '6663',
          matched_on: 'tax_id',
          matched_id_type: 'NIT #',
          matched_id_value: '800076369-0',
          programs: ['SDNT'],
        },
      ],
      lists_checked: [...SANCTIONS_LISTS],
    });
    expect(await sanctions('900.090.404-1', 'CO')).toMatchObject({ is_sanctioned: true, matches: [{ uid: '27237' }] });
    expect(await sanctions('16.000.001-6', 'CO')).toMatchObject({ is_sanctioned: true, matches: [{ uid: '900001' }] });
    expect(await sanctions('80.014.751-4', 'CL')).toMatchObject({ is_sanctioned: false, matches: [] });
    expect(await sanctions('800147514-8', 'CO')).toMatchObject({ is_sanctioned: true });
    expect(await sanctions('800.076.369', 'CO')).toMatchObject({ possible_matches: null, not_screened: { reason: 'source_unavailable' } });
  });

  it('finds a listed employer by CNPJ and another branch by root', async () => {
    const labor = async (identifier: string) => (await app.post('/v1/labor', { identifier, country: 'BR' })).body;
    expect(await labor('11.222.333/0001-81')).toMatchObject({
      has_violations: true,
      records: [
        {
          year: 2023,
          workers_rescued: 12,
          state: 'MG',
          municipality: 'UBERABA',
          activity: '0134-2/00',
          listed_on: '2024-10-07',
          status: 'active',
          matched_on: 'cnpj',
        },
      ],
    });
    expect(await labor('44.333.222/0001-00')).toMatchObject({
      records: [{ matched_on: 'root', listed_on: '2024-11-11', status: 'active' }],
    });
  });
});
