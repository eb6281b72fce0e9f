import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { appWithCopy, statementsOf } from '../../support/registry-copy.ts';

const cnpj = (scenario: string): string => companyByScenario(scenario).cnpj;

let app: TestApp;
let statements: string[];
beforeAll(async () => {
  app = await appWithCopy();
  statements = statementsOf(app);
}, 120_000);
afterAll(() => app.close());

interface Owner {
  readonly name: string;
  readonly identity: object | null;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects of an answer
  readonly otherCompanies: any;
}

const OTHERS = 'nodes { company { identifier } role since } companyKnown completeness pageInfo { hasNextPage endCursor }';
const IDENTITY = 'identity { identifier name namesakes expectedOthers }';
async function ask(scenario: string, args = '', { key, of = app }: { readonly key?: string; readonly of?: TestApp } = {}) {
  const query = `{ company(identifier: "${cnpj(scenario)}") { owners { owners { name ${IDENTITY} otherCompanies${args} { ${OTHERS} } } } } }`;
  const { body } = await of.query(query, {}, key);
  const owners: readonly Owner[] = body.data.company.owners?.owners ?? [];
  return { errors: body.errors, owners, byName: (name: string) => owners.find((owner) => owner.name === name) };
}

describe('the other companies of an owner', () => {
  it('are those of the person with the same digits and name, without the company that was asked about', async () => {
    const { errors, byName } = await ask('group-leaf');
    expect(errors).toBeUndefined();
    expect(byName('ELISA PEREIRA ALHURES')).toMatchObject({
      identity: { identifier: '***000082**', name: 'ELISA PEREIRA ALHURES', namesakes: 1, expectedOthers: 0 },
      otherCompanies: {
        nodes: [{ company: { identifier: cnpj('group-neighbour') }, role: 'Sócio-Administrador', since: '2019-07-01' }],
        companyKnown: true,
        completeness: 'COMPLETE',
      },
    });
  });

  it('are those of the company, by the root of its CNPJ', async () => {
    const { byName } = await ask('group-leaf');
    expect(byName('ANDAR DO MEIO PARTICIPACOES LTDA')).toMatchObject({
      identity: null,
      otherCompanies: { nodes: [{ company: { identifier: cnpj('group-closed') } }] },
    });
  });

  it('are null for an owner whom the registry does not identify', async () => {
    const { errors, owners } = await ask('owners-foreign');
    expect(errors).toBeUndefined();
    expect(owners.map(({ identity, otherCompanies }) => [identity, otherCompanies])).toEqual([
      [null, null],
      [null, null],
    ]);
  });

  it('keep apart two people with the same name and other digits, and count them as namesakes', async () => {
    const { owners } = await ask('owners-listed');
    const names = Map.groupBy(
      owners.filter(({ identity }) => identity !== null),
      ({ name }) => name,
    );
    const two = [...names.values()].find(({ length }) => length === 2) ?? [];
    expect(two.map(({ identity }) => identity)).toHaveLength(2);
    expect(new Set(two.map(({ identity }) => JSON.stringify(identity))).size).toBe(2);
  });

  it('have cursors that belong to the list of the owner', async () => {
    const page = (await ask('clean', '(first: 1)')).owners[0]?.otherCompanies;
    expect(page.pageInfo.hasNextPage).toBe(true);
    const next = await ask('clean', `(first: 1, after: "${page.pageInfo.endCursor}")`);
    expect(next.owners[0]?.otherCompanies.nodes[0]).not.toEqual(page.nodes[0]);
    expect(next.owners[1]?.otherCompanies ?? null).toBeNull();
    expect(next.errors[0]).toMatchObject({ extensions: { code: 'INVALID_INPUT', field: 'after' } });
  });

  it('of all owners of many companies are one statement for people and one for companies', async () => {
    const ids = ['owners-many', 'owners-same-name', 'owners-debarred', 'owners-level-3'].map(cnpj);
    const query =
      'query ($ids: [String!]!) { companies(identifiers: $ids) { owners { owners { otherCompanies(first: 2) { nodes { since } } } } } }';
    statements.length = 0;
    expect((await app.query(query, { ids })).body.errors).toBeUndefined();
    expect(statements.filter((sql) => sql.includes('receita_partners_v') && sql.includes('afterRoot'))).toHaveLength(2);
  });

  it('need the module of the owners, also within the consolidated check', async () => {
    const key = await app.keyFor('compliance_br');
    const query = `{ company(identifier: "${cnpj('group-leaf')}") { compliance { checks { owners { owners { name otherCompanies { nodes { role } } } } } } } }`;
    const { body } = await app.query(query, {}, key);
    const codes = body.errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code);
    expect(new Set(codes)).toEqual(new Set(['MODULE_NOT_ENABLED']));
  });

  it('are an error and never empty on a service without a copy', async () => {
    const bare = await testApp();
    try {
      const { errors, byName } = await ask('group-leaf', '', { of: bare });
      expect(byName('ELISA PEREIRA ALHURES')).toMatchObject({ identity: null, otherCompanies: null });
      expect(new Set(errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code))).toEqual(
        new Set(['SOURCE_NOT_CONFIGURED']),
      );
    } finally {
      await bare.close();
    }
  }, 120_000);
});
