import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { colombianByScenario } from '../../../sandbox/world/colombia.ts';
import { type TestApp, testApp } from '../../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterEach(() => app.sandbox?.faults.clear());
afterAll(() => app.close());

const check = (scenario: string, more: object = {}, key?: string) =>
  app.post('/v1/compliance', { identifier: colombianByScenario(scenario).nit, country: 'CO', ...more }, key);

describe('POST /v1/compliance of a Colombian company', () => {
  it.each([
    ['co-supplier', 'low', []],
    ['co-cancelled', 'medium', ['kyb.inactive: The registration is not active (MATRÍCULA CANCELADA POR FUSIÓN).']],
    ['co-branch-left', 'medium', ['kyb.inactive: Only a branch or an establishment of the company has an active registration.']],
    ['co-not-renewed', 'low', [/^kyb\.not_renewed: The registration was last renewed in \d{4}, and \d renewals are missing\.$/]],
    [
      'co-fined',
      'low',
      [
        /^contract_fines\.fine: 2 contract fines on MULTAS_SECOP_II \(Multa by .+; Clausula Penal by .+\)\. A fine is no ban\.$/,
        /^contract_fines\.fine: 2 contract fines on MULTAS_SECOP_I \(fine by .+\)\. A fine is no ban\.$/,
      ],
    ],
  ] as const)('%s is %s', async (scenario, level, reasons) => {
    const { status, body } = await check(scenario);
    expect([status, body.risk_level, body.completeness, body.sources_failed]).toEqual([200, level, 'complete', []]);
    expect(body.risk_reasons).toEqual(reasons.map((one) => (typeof one === 'string' ? one : expect.stringMatching(one))));
    expect(Object.keys(body.checks)).toEqual(['kyb', 'sanctions', 'owners', 'contract_fines']);
  });

  it.each([
    ['co-consortium', /^kyb\.not_found: The commercial register has no company with this NIT \(as of \d{4}-\d\d-\d\d\)\. Some/],
    ['co-never-registered', /^kyb\.not_found: Chambers of commerce know this NIT/],
  ])('UP-03 %s is medium and partial: no name of it can be compared with fines without a known contractor', async (scenario, reason) => {
    const { body } = await check(scenario);
    expect([body.risk_level, body.completeness, body.sources_failed]).toEqual(['medium', 'partial', []]);
    expect(body.risk_reasons).toEqual([expect.stringMatching(reason)]);
    expect(body.checks.contract_fines).toMatchObject({ records: [], names_compared: false });
  });

  it('has the legal representative as an officer, without an id, and nobody for a company that the register does not have', async () => {
    const { owners } = (await check('co-supplier')).body.checks;
    expect(owners).toMatchObject({ count: 1, owners: [{ role: 'Representante legal', identifier: null }] });
    expect((await check('co-consortium')).body.checks.owners).toEqual({ count: 0, owners: [] });
  });

  it('is partial while the register fails, and for a state that is not known', async () => {
    // The names of the register clear a company of the fines that cannot be assigned by a number.
    expect((await check('co-unknown-state')).body).toMatchObject({
      completeness: 'partial',
      sources_failed: ['kyb', 'owners', 'contract_fines'],
      checks: { kyb: null, sanctions: { is_sanctioned: false } },
    });
    app.sandbox?.faults.set('rues', { mode: 'html_200' });
    expect((await check('co-moved')).body).toMatchObject({
      risk_level: 'low',
      completeness: 'partial',
      sources_failed: ['kyb', 'owners', 'contract_fines'],
    });
  });

  it('is the verdict of GraphQL, with a receipt that names the register', async () => {
    const key = await app.keyFor('compliance');
    const { nit } = colombianByScenario('co-cancelled');
    const query = `{ company(identifier: "${nit}", country: CO) { compliance(receipt: true) {
      riskLevel completeness riskReasons { check code severity } evidence { sources { check source outcome } }
    } } }`;
    const { body } = await app.query(query, {}, key);
    expect(body.errors).toBeUndefined();
    expect(body.data.company.compliance).toEqual({
      riskLevel: 'MEDIUM',
      completeness: 'COMPLETE',
      riskReasons: [{ check: 'KYB', code: 'INACTIVE', severity: 'MEDIUM' }],
      evidence: {
        sources: [
          { check: 'KYB', source: 'RUES', outcome: 'ANSWERED' },
          { check: 'SANCTIONS', source: 'OFAC_SDN', outcome: 'ANSWERED' },
          { check: 'SANCTIONS', source: 'UN_CONSOLIDATED', outcome: 'ANSWERED' },
          { check: 'OWNERS', source: 'RUES', outcome: 'ANSWERED' },
          { check: 'CONTRACT_FINES', source: 'MULTAS_SECOP_I', outcome: 'ANSWERED' },
          { check: 'CONTRACT_FINES', source: 'MULTAS_SECOP_II', outcome: 'ANSWERED' },
        ],
      },
    });
    expect(body.extensions.cost.counted).toEqual({ COMPLIANCE: 1 });
  });
});
