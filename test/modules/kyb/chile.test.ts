import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../../../sandbox/world/chile/world.ts';
import { formatRut } from '../../../src/domain/tax-id.ts';
import type { TestApp } from '../../support/app.ts';
import { appWithChile } from '../tax-health/chile.ts';

/** Some companies' dates are relative to the clock: a fixed clock gives fixed dates. */
const NOW = Date.UTC(2026, 10, 21, 12);

let app: TestApp;
beforeAll(async () => {
  app = await appWithChile({ now: () => NOW });
}, 120_000);
afterAll(() => app.close());

const rut = (scenario: string): string => chileanByScenario(scenario).rut;
const kyb = (identifier: string, country = 'CL') => app.post('/v1/kyb', { identifier, country });

describe('POST /v1/kyb for Chile', () => {
  it('answers field for field as the specification has it', async () => {
    const identifier = formatRut(rut('cl-large'));
    const { status, body } = await kyb(identifier);
    expect(status).toBe(200);
    expect(body).toEqual({
      identifier,
      country: 'CL',
      company_name: 'MINERA PICO DE ORO INVENTADA S.A.',
      status: 'active',
      verified: true,
      founded_year: 1993,
      end_date: null,
      source: 'sii',
      data_as_of: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
    });
  });

  it.each([
    ['cl-clean', 'active', 2014, null],
    ['cl-ended', 'inactive', 2001, '2019-08-31'],
    ['cl-ended-recently', 'inactive', 2014, '2026-07-15'],
    ['cl-new', 'active', 2026, null],
    ['cl-never-started', 'inactive', null, null],
    ['cl-municipality', 'active', 1993, null],
    ['cl-unknown', 'not_found', null, null],
  ])('of %s is %s, founded %s, ended %s', async (scenario, status, founded_year, end_date) => {
    const company_name = status === 'not_found' ? '' : chileanByScenario(scenario).name;
    expect((await kyb(rut(scenario))).body).toMatchObject({
      company_name,
      status,
      verified: status === 'active',
      founded_year,
      end_date,
      source: 'sii',
      data_as_of: expect.any(String),
    });
  });

  it('keeps the name as printed by the registry', async () => {
    expect((await kyb(rut('cl-accents'))).body.company_name).toBe('VIÑA ÑANDÚ & PEÑALOLÉN "EL SUEÑO" S.A.');
  });

  it('does not change Brazil: called live, without a date', async () => {
    const { body } = await kyb(companyByScenario('clean').cnpj, 'BR');
    expect(body).toMatchObject({ country: 'BR', status: 'active', source: 'receita_federal', data_as_of: null });
  });

  it.each([
    ['a RUT with a wrong check digit', rut('cl-clean').slice(0, -1).concat('0'), 'CL', 'invalid_input'],
    ['a CNPJ for a RUT', companyByScenario('clean').cnpj, 'CL', 'invalid_input'],
    ['Colombia', '8600012345', 'CO', 'unsupported_country'],
  ])('refuses %s', async (_, identifier, country, code) => {
    const { status, body } = await kyb(identifier, country);
    expect([status, body.code]).toEqual([422, code]);
  });
});

describe('Company.kyb for Chile', () => {
  const KYB = `{ name kyb { companyName status verified foundedYear endDate registration isBranch specialSituation source
    freshness { fetchedAt dataAsOf cached stale } } }`;
  const ask = async (scenario: string) =>
    (await app.query(`{ company(identifier: "${rut(scenario)}", country: CL) ${KYB} }`)).body.data.company;

  it.each([
    ['cl-clean', 'INICIO DE ACTIVIDADES'],
    ['cl-never-started', 'SIN INICIO DE ACTIVIDADES'],
    ['cl-ended', 'TERMINO DE GIRO'],
    ['cl-unknown', null],
  ])('of %s has the registry’s word %s', async (scenario, registration) => {
    expect((await ask(scenario)).kyb.registration).toBe(registration);
  });

  it('gives the same answer as REST, with its age', async () => {
    const rest = (await kyb(rut('cl-ended'))).body;
    const { name, kyb: graph } = await ask('cl-ended');
    expect(name).toBe(rest.company_name);
    expect(graph).toMatchObject({
      companyName: rest.company_name,
      status: 'INACTIVE',
      verified: false,
      foundedYear: rest.founded_year,
      endDate: rest.end_date,
      isBranch: false,
      specialSituation: null,
      source: 'SII',
      freshness: { dataAsOf: rest.data_as_of, fetchedAt: expect.any(String), stale: false },
    });
  });
});
