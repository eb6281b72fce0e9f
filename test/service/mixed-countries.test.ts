import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../../sandbox/world/chile/world.ts';
import { colombianByScenario } from '../../sandbox/world/colombia.ts';
import { formatTaxId } from '../../src/domain/company.ts';
import { type TestApp, testApp } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

const BRAZILIAN = companyByScenario('clean').cnpj;
const CHILEAN = formatTaxId({ country: 'CL', taxId: chileanByScenario('cl-clean').rut });
const COLOMBIAN = formatTaxId({ country: 'CO', taxId: colombianByScenario('co-supplier').nit });
const QUERY = `query ($identifiers: [String!]!) {
  companies(identifiers: $identifiers) {
    country modules name
    kyb { status } profile { size } owners { count } ownershipGraph { complete } debarment { isDebarred } sanctions { isSanctioned }
    labor { hasViolations } taxHealth { status } compliance { riskLevel } tenders { totalCount } awardedContracts { totalCount }
    monitors { nodes { id } } changes { nodes { id } }
  }
}`;

/** The fields of an answer that are null. */
const nulls = (company: object): string[] => Object.entries(company).flatMap(([name, value]) => (value === null ? [name] : []));

describe('companies of three countries in one query', () => {
  it('have no error, and null for the fields that their country lacks', async () => {
    const { body } = await app.query(QUERY, { identifiers: [BRAZILIAN, CHILEAN, COLOMBIAN] });
    expect(body.errors).toBeUndefined();
    const [brazilian, chilean, colombian] = body.data.companies;
    expect(nulls(brazilian)).toEqual(['taxHealth', 'awardedContracts']);
    expect(nulls(chilean)).toEqual(['debarment', 'labor']);
    expect(nulls(colombian)).toEqual([...['ownershipGraph', 'debarment', 'labor', 'taxHealth', 'awardedContracts']]);
  });

  it('list the modules that serve their country, and no others', async () => {
    const { body } = await app.query(QUERY, { identifiers: [BRAZILIAN, CHILEAN, COLOMBIAN] });
    const [brazilian, chilean, colombian] = body.data.companies.map(({ modules }: { modules: string[] }) => modules);
    const inBrazil = ['COMPLIANCE_BR', 'ENRICH', 'KYB', 'OWNERS', 'DEBARMENT', 'SANCTIONS', 'LABOR', 'TENDERS', 'MONITOR'];
    expect(brazilian).toEqual(expect.arrayContaining(inBrazil));
    expect(brazilian).not.toContain('TAX_HEALTH');
    expect(chilean).toEqual(['COMPLIANCE', 'ENRICH', 'KYB', 'OWNERS', 'SANCTIONS', 'TAX_HEALTH', 'TENDERS', 'MONITOR']);
    expect(colombian).toEqual(['COMPLIANCE', 'ENRICH', 'KYB', 'OWNERS', 'DEBARMENT', 'SANCTIONS', 'TENDERS', 'MONITOR']);
  });

  it('are refused by /v1/kyb for a country that it does not serve', async () => {
    const answer = await app.post('/v1/kyb', { identifier: COLOMBIAN, country: 'CO' });
    expect([answer.status, answer.body.code]).toEqual([422, 'unsupported_country']);
  });
});
