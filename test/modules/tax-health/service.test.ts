import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../../../sandbox/world/chile/world.ts';
import { formatRut, rutCheckDigit } from '../../../src/domain/tax-id.ts';
import type { TestApp } from '../../support/app.ts';
import { appWithChile } from './chile.ts';

const NOON = Date.parse('2026-11-21T12:00:00Z');

let app: TestApp;
beforeAll(async () => {
  app = await appWithChile({ now: () => NOON });
}, 120_000);
afterAll(() => app.close());

const rut = (scenario: string): string => chileanByScenario(scenario).rut;
const taxHealth = (identifier: string, country = 'CL') => app.post('/v1/tax-health', { identifier, country });

describe('POST /v1/tax-health', () => {
  it('answers field for field as the specification has it', async () => {
    const identifier = ` ${formatRut(rut('cl-debtor'))} `;
    const { status, body } = await taxHealth(identifier);
    expect(status).toBe(200);
    expect(body).toEqual({
      identifier: identifier.trim(),
      company_name: 'COMERCIAL DEBO TODO LTDA',
      country: 'CL',
      status: 'active',
      tax_debtor: true,
      tax_debt_amount: 18_450_000,
      company_age_years: 12,
      deregistered_at: null,
      revenue_tier: 'small',
      risk_signals: ['tax_debtor'],
      source: 'sii',
      data_as_of: expect.stringMatching(/^\d{4}-\d{2}-\d{2}$/),
    });
  });

  it.each([
    ['cl-clean', 'active', 'small', []],
    ['cl-large', 'active', 'large', []],
    ['cl-medium', 'active', 'medium', []],
    ['cl-micro', 'active', 'micro', ['micro_revenue_tier']],
    ['cl-not-informed', 'active', null, []],
    ['cl-ended', 'inactive', null, ['inactive_company']],
    ['cl-ended-recently', 'inactive', 'micro', ['inactive_company', 'recently_deregistered', 'micro_revenue_tier']],
    ['cl-new', 'active', null, ['new_company']],
    ['cl-never-started', 'inactive', null, ['inactive_company']],
    ['cl-troubled', 'inactive', 'micro', ['tax_debtor', 'inactive_company', 'recently_deregistered', 'micro_revenue_tier']],
  ])('of %s is %s, %s, %j', async (scenario, status, revenue_tier, risk_signals) => {
    const { body } = await taxHealth(rut(scenario));
    const { debtClp, endedOn } = chileanByScenario(scenario);
    expect(body).toMatchObject({ status, revenue_tier, risk_signals });
    expect(body).toMatchObject({ tax_debtor: debtClp !== null, tax_debt_amount: debtClp, deregistered_at: endedOn });
  });

  it.each([
    ['cl-large', 33],
    ['cl-clean', 12],
    ['cl-new', 0],
    ['cl-ended', 25],
    ['cl-never-started', null],
  ])('has the age of %s: %s', async (scenario, company_age_years) => {
    expect((await taxHealth(rut(scenario))).body).toMatchObject({ company_age_years });
  });

  it('has only the status not_found for an unknown company', async () => {
    const { status, body } = await taxHealth(rut('cl-unknown'));
    expect(status).toBe(200);
    expect(body).toEqual({
      identifier: rut('cl-unknown'),
      company_name: '',
      country: 'CL',
      status: 'not_found',
      tax_debtor: null,
      tax_debt_amount: null,
      company_age_years: null,
      deregistered_at: null,
      revenue_tier: null,
      risk_signals: [],
      source: 'sii',
      data_as_of: expect.any(String),
    });
  });

  it.each([
    ['a malformed RUT', '67.000.001-X', 'CL', 'invalid_input'],
    ['Brazil', companyByScenario('clean').cnpj, 'BR', 'unsupported_country'],
    ['Colombia', '900964705-5', 'CO', 'unsupported_country'],
  ])('refuses %s', async (_, identifier, country, code) => {
    const { status, body } = await taxHealth(identifier, country);
    expect([status, body.code]).toEqual([422, code]);
  });

  it('belongs to the module tax_health', async () => {
    const { status, body } = await app.post('/v1/tax-health', { identifier: rut('cl-clean'), country: 'CL' }, await app.keyFor('kyb'));
    expect([status, body.code]).toEqual([403, 'module_not_enabled']);
    expect(body.detail).toContain('tax_health');
  });
});

describe('Company.taxHealth', () => {
  const TAX_HEALTH = `{ taxHealth { companyName status taxDebtor taxDebtAmount taxDebtAsOf debtorsChecked debtorsAsOf companyAgeYears
    deregisteredAt revenueTier salesBracket { number overUf upToUf } riskSignals source freshness { dataAsOf cached stale } } }`;
  const ask = (identifier: string, country = 'CL') =>
    app.query(`{ company(identifier: "${identifier}", country: ${country}) ${TAX_HEALTH} }`);

  it('gives the answer of REST, with the sales bracket and the dates of the list', async () => {
    const rest = (await taxHealth(rut('cl-troubled'))).body;
    const { body } = await ask(rut('cl-troubled'));
    expect(body.errors).toBeUndefined();
    expect(body.data.company.taxHealth).toEqual({
      companyName: rest.company_name,
      status: 'INACTIVE',
      taxDebtor: true,
      taxDebtAmount: '2300000',
      taxDebtAsOf: '2026-07-31',
      debtorsChecked: true,
      debtorsAsOf: '2026-11-01',
      companyAgeYears: rest.company_age_years,
      deregisteredAt: '2026-05-30',
      revenueTier: 'MICRO',
      salesBracket: { number: 3, overUf: '200', upToUf: '600' },
      riskSignals: ['TAX_DEBTOR', 'INACTIVE_COMPANY', 'RECENTLY_DEREGISTERED', 'MICRO_REVENUE_TIER'],
      source: 'SII',
      freshness: { dataAsOf: rest.data_as_of, cached: true, stale: false },
    });
  });

  it('has no upper limit for the highest bracket, and no bracket where sales are not informed', async () => {
    expect((await ask(rut('cl-large'))).body.data.company.taxHealth.salesBracket).toEqual({ number: 13, overUf: '1000000', upToUf: null });
    expect((await ask(rut('cl-not-informed'))).body.data.company.taxHealth).toMatchObject({ salesBracket: null, revenueTier: null });
  });

  it('GQ-11 costs one SQL statement per source for 500 RUTs, together with kyb', async () => {
    const fresh = Array.from({ length: 500 }, (_, i) => String(67_100_000 + i)).map((number) => number + rutCheckDigit(number));
    const sql: string[] = [];
    const listen = (query: { sql: string }) => sql.push(query.sql);
    app.db.on('query', listen);
    const query =
      'query ($ids: [String!]!) { companies(identifiers: $ids, country: CL) { kyb { status } taxHealth { status taxDebtor } } }';
    const { body } = await app.query(query, { ids: fresh });
    app.db.removeListener('query', listen);
    expect(body.errors).toBeUndefined();
    expect(body.data.companies).toHaveLength(500);
    const statements = (table: string) => sql.filter((text) => text.includes(table)).length;
    expect([statements('sii_companies'), statements('registry_entries')]).toEqual([1, 1]);
  });

  it('is null without an error for Brazil', async () => {
    const { body } = await ask(companyByScenario('clean').cnpj, 'BR');
    expect(body.data.company.taxHealth).toBeNull();
    expect(body.errors).toBeUndefined();
  });
});
