import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../../../sandbox/world/chile/world.ts';
import { colombianByScenario } from '../../../sandbox/world/colombia.ts';
import { foreignCompanyByScenario } from '../../../sandbox/world/foreign-companies.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { appWithFaults } from '../../support/app-with-faults.ts';

const cnpj = (scenario: string): string => companyByScenario(scenario).cnpj;

describe('candidates by name', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp();
  });
  afterAll(() => app.close());

  const sanctions = async (body: object) => (await app.post('/v1/sanctions', { country: 'BR', ...body })).body;

  it("are found on every list by the registry's name, and change no verdict", async () => {
    const body = await sanctions({ identifier: cnpj('homonym') });
    expect(body).toMatchObject({ is_sanctioned: false, matches: [], not_screened: null });
    expect(body.possible_matches).toMatchObject([
      {
        list_name: 'OFAC_SDN',
        entry_name: 'CONDOR IMAGINARIO TRADING LTDA',
        matched_on: 'name',
        screened_name: 'CONDOR IMAGINARIO TRADING LTDA',
        decision: 'match',
        score: 1,
        explanation: 'Same words: CONDOR, IMAGINARIO, TRADING. Legal forms set aside: LTDA.',
        countries: ['Panama'],
        uid: '990040',
      },
      { list_name: 'UN_CONSOLIDATED', decision: 'match', uid: '6990001' },
    ]);
    const { body: check } = await app.post('/v1/compliance-br', { cnpj: cnpj('homonym') });
    expect(check).toMatchObject({ risk_level: 'low', risk_reasons: [], completeness: 'complete', sources_failed: [] });
    expect(check.checks.sanctions).not.toHaveProperty('possible_matches');
  });

  it('by a weak alias are for review only', async () => {
    const { possible_matches } = await sanctions({ identifier: cnpj('homonym-weak') });
    expect(possible_matches).toMatchObject([{ matched_on: 'weak_alias', decision: 'review', matched_name: 'TRES ESTRELAS LTDA' }]);
  });

  it('are an empty list for a name like no other', async () => {
    expect(await sanctions({ identifier: cnpj('clean') })).toMatchObject({ possible_matches: [], not_screened: null });
  });

  it('are found by the name of the request, in another spelling, instead of that of the registry', async () => {
    const { possible_matches } = await sanctions({ identifier: cnpj('homonym'), name: 'Comercialisadora Makondo Fictício S.A.S.' });
    expect(possible_matches).toMatchObject([
      { uid: '990010', decision: 'match', screened_name: 'Comercialisadora Makondo Fictício S.A.S.' },
    ]);
  });

  it('are found for a Chilean company', async () => {
    const { cl } = { cl: chileanByScenario('cl-clean') };
    const { body } = await app.post('/v1/sanctions', { identifier: cl.rut, country: 'CL' });
    expect(body).toMatchObject({ possible_matches: [], not_screened: null });
  });

  it.each([
    ['a Colombian company that is not in the register', { identifier: colombianByScenario('co-consortium').nit, country: 'CO' }],
    ['a company that the registry does not have', { identifier: cnpj('unknown') }],
    ['a name without a letter that can be compared', { identifier: cnpj('clean'), name: '北京公司' }],
  ])('are null for %s', async (_, body) => {
    expect(await sanctions(body)).toMatchObject({ possible_matches: null, not_screened: { reason: 'no_name', source: null } });
  });

  it('are found for a Colombian company by its name in the commercial register, and not known while that fails', async () => {
    const { taxId } = foreignCompanyByScenario('co-sanctioned');
    expect((await sanctions({ identifier: taxId, country: 'CO' })).possible_matches).toMatchObject([{ uid: '990010' }]);
    app.sandbox?.faults.set('rues', { mode: 'status_500' });
    onTestFinished(() => app.sandbox?.faults.clear());
    expect(await sanctions({ identifier: colombianByScenario('co-moved').nit, country: 'CO' })).toMatchObject({
      is_sanctioned: false,
      possible_matches: null,
      not_screened: { reason: 'source_unavailable', source: 'rues' },
    });
  });

  it('are found for a Colombian company by the name of the request', async () => {
    const { taxId, name } = foreignCompanyByScenario('co-sanctioned');
    const body = await sanctions({ identifier: taxId, country: 'CO', name });
    expect(body).toMatchObject({ is_sanctioned: true, possible_matches: [{ uid: '990010', decision: 'match' }] });
  });

  it('are on the consolidated check in GraphQL with the key of that module, and count nothing more', async () => {
    const key = await app.keyFor('compliance_br');
    const query = `query ($id: String!) { company(identifier: $id) { compliance { riskLevel completeness
      checks { sanctions { isSanctioned possibleMatches { list decision } other: possibleMatches(name: "VYDUMKA") { entryName matchedOn } } } } }
      apiKey { usage { month modules { module answers } } } }`;
    const { body } = await app.query(query.replace(/apiKey.*/s, '}'), { id: cnpj('homonym') }, key);
    expect(body.errors).toBeUndefined();
    expect(body.data.company.compliance).toEqual({
      riskLevel: 'LOW',
      completeness: 'COMPLETE',
      checks: {
        sanctions: {
          isSanctioned: false,
          possibleMatches: [
            { list: 'OFAC_SDN', decision: 'MATCH' },
            { list: 'UN_CONSOLIDATED', decision: 'MATCH' },
          ],
          other: [{ entryName: 'OBSHCHESTVO S OGRANICHENNOI OTVETSTVENNOSTYU VYDUMKA', matchedOn: 'NAME' }],
        },
      },
    });
    expect(body.extensions.cost.counted).toEqual({ COMPLIANCE_BR: 1 });
  });

  it.each([
    ['sanctions', 'sanctions { NAMES }'],
    ['compliance_br', 'compliance { checks { sanctions { NAMES } } }'],
  ] as const)('count each further name that a request screens for a company, with the key of %s', async (module, selection) => {
    const key = await app.keyFor(module);
    const names = (count: number) =>
      Array.from({ length: count }, (_, i) => `n${i}: possibleMatches(name: "VYDUMKA ${i}") { list }`).join(' ');
    const ask = async (text: string) => {
      const query = `query ($id: String!) { company(identifier: $id) { ${selection.replace('NAMES', text)} } }`;
      const { body } = await app.query(query, { id: cnpj('homonym') }, key);
      expect(body.errors).toBeUndefined();
      return body.extensions.cost.counted[module.toUpperCase()];
    };
    expect(await ask(`possibleMatches { list } ${names(1)}`)).toBe(1);
    expect(await ask(names(15))).toBe(15);
    expect(await ask(`a: possibleMatches(name: "VYDUMKA") { list } b: possibleMatches(name: " VYDUMKA ") { list }`)).toBe(1);
  });

  it('need a key with a module of the check', async () => {
    const { body } = await app.query(
      `query ($id: String!) { company(identifier: $id) { sanctions { possibleMatches { list } } } }`,
      { id: cnpj('homonym') },
      await app.keyFor('kyb'),
    );
    expect(body).toMatchObject({ data: { company: { sanctions: null } }, errors: [{ extensions: { code: 'MODULE_NOT_ENABLED' } }] });
  });

  it('refuse a name of more than 500 characters', async () => {
    const name = 'x'.repeat(501);
    expect((await app.post('/v1/sanctions', { identifier: cnpj('clean'), country: 'BR', name })).status).toBe(422);
    const query = `query ($id: String!, $name: String) { company(identifier: $id) { sanctions { possibleMatches(name: $name) { list } } } }`;
    const { body } = await app.query(query, { id: cnpj('clean'), name });
    expect(body.errors).toMatchObject([
      { path: ['company', 'sanctions', 'possibleMatches'], extensions: { code: 'INVALID_INPUT', field: 'name' } },
    ]);
  });
});

describe('candidates by name, while the tax registry is down', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await appWithFaults({ receita_federal: 'status_500' });
  }, 120_000);
  afterAll(() => app.close());

  it('are null and name the registry in REST, beside the answer by tax id', async () => {
    const { status, body } = await app.post('/v1/sanctions', { identifier: cnpj('sanctioned'), country: 'BR' });
    expect([status, body.is_sanctioned]).toEqual([200, true]);
    expect(body).toMatchObject({ possible_matches: null, not_screened: { reason: 'source_unavailable', source: 'receita_federal' } });
  });

  it('are null beside an error in GraphQL', async () => {
    const { body } = await app.query(
      `query ($id: String!) { company(identifier: $id) { sanctions { isSanctioned possibleMatches { list } } } }`,
      { id: cnpj('sanctioned') },
    );
    expect(body.data.company.sanctions).toEqual({ isSanctioned: true, possibleMatches: null });
    expect(body.errors).toMatchObject([
      { path: ['company', 'sanctions', 'possibleMatches'], extensions: { code: 'SOURCE_UNAVAILABLE', source: 'RECEITA_FEDERAL' } },
    ]);
  });

  it('are found by the name of the request', async () => {
    const { body } = await app.post('/v1/sanctions', { identifier: cnpj('clean'), country: 'BR', name: 'Fura Bloqueio Importadora' });
    expect(body.possible_matches).toMatchObject([{ uid: '990001', decision: 'match' }]);
  });
});
