import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../../../sandbox/world/chile/world.ts';
import { type TestApp, testApp } from '../../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterEach(() => app.sandbox?.faults.clear());
afterAll(() => app.close());

const rut = (scenario: string) => chileanByScenario(scenario).rut;
const read = async (url: string, key: string) => (await app.server.inject({ url, headers: { 'x-api-key': key } })).json();
const check = (scenario: string, key?: string) => app.post('/v1/compliance', { identifier: rut(scenario), country: 'CL' }, key);

describe('POST /v1/compliance of a Chilean company', () => {
  it.each([
    ['cl-clean', 'low', []],
    ['cl-debtor', 'medium', [/^tax_health\.tax_debtor: The company is on the list of tax debtors/]],
    ['cl-ended', 'medium', [/^kyb\.inactive: The registration is not active \(TERMINO DE GIRO\)\.$/]],
    ['cl-never-started', 'medium', [/^kyb\.inactive: /]],
    ['cl-unknown', 'medium', [/^kyb\.not_found: The tax registry has no company with this RUT\.$/]],
  ] as const)('%s is %s', async (scenario, level, reasons) => {
    const { status, body, headers } = await check(scenario);
    expect([status, body.risk_level, body.completeness, headers['quipu-completeness']]).toEqual([200, level, 'complete', 'complete']);
    expect(body.risk_reasons).toEqual(reasons.map((reason) => expect.stringMatching(reason)));
    expect([body.identifier, body.country, body.sources_failed]).toEqual([rut(scenario), 'CL', []]);
    expect(Object.keys(body.checks)).toEqual(['kyb', 'sanctions', 'owners', 'tax_health']);
    expect(body.rules_version).toMatch(/^\d{4}-\d\d-\d\d$/);
  });

  it('has the verdict of GraphQL', async () => {
    const { body } = await check('cl-debtor');
    const query = `{ company(identifier: "${rut('cl-debtor')}", country: CL) { compliance {
      riskLevel completeness rulesVersion riskReasons { check code severity } checks { kyb { status } taxHealth { taxDebtor } debarment { isDebarred } }
    } } }`;
    const { compliance } = (await app.query(query)).body.data.company;
    expect(compliance).toEqual({
      riskLevel: 'MEDIUM',
      completeness: 'COMPLETE',
      rulesVersion: body.rules_version,
      riskReasons: [{ check: 'TAX_HEALTH', code: 'TAX_DEBTOR', severity: 'MEDIUM' }],
      checks: { kyb: { status: 'ACTIVE' }, taxHealth: { taxDebtor: true }, debarment: null },
    });
  });

  it('UP-01 has the level of a tax debt while the tax registry fails', async () => {
    await app.db.raw('ALTER TABLE sii_companies RENAME TO sii_companies_away');
    try {
      const { body } = await check('cl-troubled');
      expect(body).toMatchObject({ risk_level: 'medium', completeness: 'partial', sources_failed: ['kyb', 'tax_health'] });
      expect(body.risk_reasons).toEqual([expect.stringMatching(/^tax_health\.tax_debtor: /)]);
    } finally {
      await app.db.raw('ALTER TABLE sii_companies_away RENAME TO sii_companies');
    }
  });

  it('has the owners with their shares, and says where none are published', async () => {
    const { owners } = (await check('cl-medium')).body.checks;
    expect(owners.composition).toEqual({
      coverage: expect.stringContaining('once a year; this file is of '),
      coverage_code: 'coverage.ownersFile',
      status: 'published',
      natural_persons_share: '33.34',
      has_natural_persons: true,
      complete: true,
    });
    expect(
      owners.owners.map((one: { entity_type: string; identifier: string; share: { percent: string } }) => [
        one.entity_type,
        one.identifier,
        one.share.percent,
      ]),
    ).toEqual([
      ['company', rut('cl-crowd-1'), '33.33'],
      ['company', rut('cl-crowd-3'), '33.33'],
      ['natural_persons', null, '33.34'],
    ]);
    const unpublished = (await check('cl-municipality')).body;
    expect(unpublished).toMatchObject({
      completeness: 'complete',
      checks: { owners: { count: 0, composition: { status: 'not_published' } } },
    });
  });

  it('counts a listed company among the owners to review, and stays low', async () => {
    const { body } = await app.query(`{ company(identifier: "${rut('cl-listed-owner')}", country: CL) {
      compliance { riskLevel ownersToReview { total byTaxId owners } }
    } }`);
    expect(body.errors).toBeUndefined();
    expect(body.data.company.compliance).toEqual({ riskLevel: 'LOW', ownersToReview: { total: 1, byTaxId: 1, owners: 1 } });
    expect((await check('cl-sanctioned')).body).toMatchObject({ risk_level: 'high' });
  });

  it('is partial, and names the owners, while their file cannot be read', async () => {
    await app.db.raw('ALTER TABLE cl_ownership_rows RENAME TO cl_ownership_away');
    try {
      const { body } = await check('cl-nuble');
      expect([body.completeness, body.sources_failed, body.checks.owners]).toEqual(['partial', ['owners'], null]);
    } finally {
      await app.db.raw('ALTER TABLE cl_ownership_away RENAME TO cl_ownership_rows');
    }
  });

  it('is partial, and names the check, while a list cannot be read', async () => {
    await app.db.raw('ALTER TABLE registry_entries RENAME TO registry_entries_away');
    try {
      const { body } = await check('cl-large');
      expect([body.completeness, body.sources_failed, body.checks.sanctions]).toEqual(['partial', ['sanctions'], null]);
      expect(body.checks.tax_health.debtors_checked).toBe(false);
    } finally {
      await app.db.raw('ALTER TABLE registry_entries_away RENAME TO registry_entries');
    }
  });

  it('needs module compliance, is counted once for it, and for no other module', async () => {
    const without = await app.keyFor('kyb', 'sanctions', 'tax_health', 'compliance_br');
    expect((await check('cl-clean', without)).body).toMatchObject({
      code: 'module_not_enabled',
      detail: expect.stringMatching(/^Module compliance is/),
    });
    const key = await app.keyFor('compliance');
    expect((await check('cl-clean', key)).status).toBe(200);
    await app.drainUsage();
    const { usage } = await read('/v1/usage', key);
    expect(usage).toEqual([expect.objectContaining({ module: 'compliance', used: 1 })]);
  });

  it('writes a receipt with the version of the rules, which the key can read again', async () => {
    const key = await app.keyFor('compliance');
    const { body } = await app.post('/v1/compliance', { identifier: rut('cl-debtor'), country: 'CL', receipt: true }, key);
    const { receipt } = body.evidence;
    expect(receipt.verdict).toMatchObject({ risk_level: 'medium', completeness: 'complete', rules_version: body.rules_version });
    expect(receipt.sources.map(({ check: name, source, outcome }: Record<string, string>) => [name, source, outcome])).toEqual([
      ['kyb', 'sii', 'answered'],
      ['sanctions', 'OFAC_SDN', 'answered'],
      ['sanctions', 'UN_CONSOLIDATED', 'answered'],
      ['owners', 'cl_ownership', 'answered'],
      ['tax_health', 'sii', 'answered'],
      ['tax_health', 'TAX_DEBTORS_CL', 'answered'],
    ]);
    expect(await read(`/v1/evidence/${receipt.id}`, key)).toEqual(body.evidence);
    expect((await read('/v1/evidence', await app.keyFor('kyb'))).code).toBe('module_not_enabled');
  });
});

describe('POST /v1/compliance of a Brazilian company', () => {
  it('is the verdict of /v1/compliance-br, for the same module', async () => {
    const { cnpj } = companyByScenario('debarred-ceis');
    const key = await app.keyFor('compliance_br');
    const own = (await app.post('/v1/compliance-br', { cnpj }, key)).body;
    const { body } = await app.post('/v1/compliance', { identifier: cnpj, country: 'br' }, key);
    const { cnpj: _, generated_at: __, ...verdict } = own;
    expect(body).toMatchObject(verdict);
    expect(Object.keys(body.checks)).toEqual(Object.keys(own.checks));
    const refused = await app.post('/v1/compliance', { identifier: cnpj, country: 'BR' }, await app.keyFor('compliance'));
    expect(refused.body).toMatchObject({ code: 'module_not_enabled', detail: expect.stringMatching(/^Module compliance_br is/) });
  });
});

it.each([
  [{ identifier: '900123456-8', country: 'PE' }, 422, 'unsupported_country'],
  [{ identifier: '76.123.456-1', country: 'CL' }, 422, 'invalid_input'],
  [{ identifier: '76.123.456-0' }, 422, 'invalid_input'],
] as const)('POST /v1/compliance refuses %o', async (body, status, code) => {
  const answer = await app.post('/v1/compliance', body);
  expect([answer.status, answer.body.code]).toEqual([status, code]);
});
