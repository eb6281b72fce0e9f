import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companies, companyByScenario } from '../../../src/sandbox/world/brazil/world.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { appWithFaults } from '../../support/app-with-faults.ts';

const SCREENING = `screening { candidates { list entityId entryName matchedName matchedOn decision score nationalities datesOfBirth }
  listsChecked listsNotChecked { list reason } freshness { cached } }`;
const OWNERS = `query ($id: String!) { company(identifier: $id) { owners { owners { name ${SCREENING} } } } }`;
const cnpj = (scenario: string): string => companyByScenario(scenario).cnpj;

interface ScreenedOwner {
  readonly name: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects of an answer
  readonly screening: any;
}

/** The screening of one owner of a company, by name. */
async function screened(app: TestApp, scenario: string, name: string, key?: string) {
  const { body } = await app.query(OWNERS, { id: cnpj(scenario) }, key);
  const owners: readonly ScreenedOwner[] = body.data.company.owners.owners;
  return { screening: owners.find((owner) => owner.name === name)?.screening, errors: body.errors };
}

describe('the screening of owners', () => {
  let app: TestApp;
  const sql: { readonly text: string; readonly list: unknown }[] = [];
  beforeAll(async () => {
    app = await testApp();
    app.db.on('query', ({ sql: text, bindings }: { sql: string; bindings?: readonly unknown[] }) =>
      sql.push({ text, list: bindings?.find((one) => one === 'OFAC_SDN' || one === 'UN_CONSOLIDATED') }),
    );
  });
  afterAll(() => app.close());

  it('reads each list once for all people and once for all companies among the owners, though the registry answers one company at a time', async () => {
    const query = `query ($ids: [String!]!) { companies(identifiers: $ids) { owners { owners { ${SCREENING} } } } }`;
    sql.length = 0;
    const { body } = await app.query(query, { ids: companies.map((company) => company.cnpj) });
    const owners = body.data.companies.flatMap((company: { owners: { owners: ScreenedOwner[] } | null }) => company.owners?.owners ?? []);
    expect(owners.length).toBeGreaterThan(100);
    expect(owners.filter(({ screening }: ScreenedOwner) => screening.listsNotChecked.length > 0)).toEqual([]);
    const passes = sql.filter(({ text, list }) => list !== undefined && text.includes('last_error')).map(({ list }) => list);
    expect(passes.toSorted()).toEqual(['OFAC_SDN', 'OFAC_SDN', 'UN_CONSOLIDATED', 'UN_CONSOLIDATED']);
  });

  it('finds a person on the list of OFAC by name, with dates of birth and nationalities as evidence', async () => {
    const { screening, errors } = await screened(app, 'owners-listed', 'PEDRO EJEMPLO INVENTADO');
    expect(errors).toBeUndefined();
    expect(screening).toMatchObject({ listsChecked: ['OFAC_SDN', 'UN_CONSOLIDATED'], listsNotChecked: [] });
    expect(screening.candidates).toEqual([
      {
        list: 'OFAC_SDN',
        entityId: '990050',
        entryName: 'EJEMPLO INVENTADO, Pedro',
        matchedName: 'EJEMPLO INVENTADO, Pedro',
        matchedOn: 'NAME',
        decision: 'MATCH',
        score: expect.any(Number),
        nationalities: ['Colombia'],
        datesOfBirth: ['01 Jan 1970', 'circa 1971'],
      },
    ]);
  });

  it('finds a person on the list of the UN', async () => {
    const { screening } = await screened(app, 'owners-listed', 'FULANO DE TAL MARROQUI');
    expect(screening.candidates).toContainEqual(
      expect.objectContaining({
        list: 'UN_CONSOLIDATED',
        entityId: '6991004',
        decision: 'MATCH',
        nationalities: ['Morocco'],
        datesOfBirth: ['circa 1970'],
      }),
    );
  });

  it('has an empty list for a person like nobody on the lists', async () => {
    const [, , { name = '' } = {}] = companyByScenario('owners-listed').partners ?? [];
    expect((await screened(app, 'owners-listed', name)).screening).toMatchObject({ candidates: [], listsNotChecked: [] });
  });

  it('compares people with people: a company with the name of a listed person has no candidate', async () => {
    const query = `query ($id: String!) { company(identifier: $id) { sanctions { possibleMatches(name: "PEDRO EJEMPLO INVENTADO") { list } } } }`;
    const { body } = await app.query(query, { id: cnpj('clean') });
    expect(body.data.company.sanctions.possibleMatches).toEqual([]);
  });

  it('changes no check and no verdict of the company, in the consolidated check too, and counts nothing more', async () => {
    const key = await app.keyFor('compliance_br');
    const query = `query ($id: String!) { company(identifier: $id) { compliance { riskLevel completeness riskReasons { code }
      checks { sanctions { isSanctioned matches { id } } owners { owners { name ${SCREENING} } } } } } }`;
    const { body } = await app.query(query, { id: cnpj('owners-listed') }, key);
    expect(body.errors).toBeUndefined();
    const { checks, ...verdict } = body.data.company.compliance;
    expect(verdict).toEqual({ riskLevel: 'LOW', completeness: 'COMPLETE', riskReasons: [] });
    expect(checks.sanctions).toEqual({ isSanctioned: false, matches: [] });
    expect(checks.owners.owners[0].screening.candidates).toHaveLength(1);
    expect(body.extensions.cost.counted).toEqual({ COMPLIANCE_BR: 1 });
  });

  it('needs the module of a list on the key beside owners, and counts the owners only', async () => {
    const alone = await screened(app, 'owners-listed', 'PEDRO EJEMPLO INVENTADO', await app.keyFor('owners'));
    expect(alone.screening).toBeNull();
    expect(alone.errors[0]).toMatchObject({ extensions: { code: 'MODULE_NOT_ENABLED', module: 'SANCTIONS' } });
    const both = await app.query(OWNERS, { id: cnpj('owners-listed') }, await app.keyFor('owners', 'sanctions'));
    expect(both.body.data.company.owners.owners[0].screening.candidates).toHaveLength(1);
    expect(both.body.extensions.cost.counted).toEqual({ OWNERS: 1 });
  });
});

describe('the screening of owners, while a list was never loaded', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await appWithFaults({ OFAC_SDN: 'status_500' });
  }, 120_000);
  afterAll(() => app.close());
  const gap = [{ list: 'OFAC_SDN', reason: 'SOURCE_UNAVAILABLE' }];

  it('says which list is missing, and is never an empty list of candidates', async () => {
    const { screening } = await screened(app, 'owners-listed', 'PEDRO EJEMPLO INVENTADO');
    expect(screening).toMatchObject({ candidates: null, listsChecked: ['UN_CONSOLIDATED'], listsNotChecked: gap });
  });

  it('still has the candidates of the other lists', async () => {
    const { screening } = await screened(app, 'owners-listed', 'FULANO DE TAL MARROQUI');
    expect(screening.candidates).toMatchObject([{ list: 'UN_CONSOLIDATED', entityId: '6991004' }]);
    expect(screening.listsNotChecked).toEqual(gap);
  });
});
