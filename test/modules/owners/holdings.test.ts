import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { appWithCopy, statementsOf } from '../../support/registry-copy.ts';
import { call } from '../monitor/api-requests.ts';

const cnpj = (scenario: string): string => companyByScenario(scenario).cnpj;
const extract = expect.stringMatching(/^\d{4}-\d{2}-14$/);

let app: TestApp;
let statements: string[];
beforeAll(async () => {
  app = await appWithCopy();
  statements = statementsOf(app);
}, 120_000);
afterAll(() => app.close());

const FIELDS = `nodes { company { identifier } name status role since } companyKnown completeness reason
  pageInfo { hasNextPage endCursor } freshness { dataAsOf }`;
const owns = async (id: string, args = '', key?: string) => {
  const { body } = await app.query(`{ company(identifier: "${id}", country: BR) { owns${args} { ${FIELDS} } } }`, {}, key);
  return { ...body, owns: body.data?.company.owns };
};
const rest = (id: string, query = '') => call(app, 'GET', `/v1/companies/BR/${id}/holdings${query}`);

describe('Company.owns', () => {
  it('lists the companies of a company, with the role and the date of entry', async () => {
    const { errors, owns: found, extensions } = await owns(cnpj('group-middle'));
    expect(errors).toBeUndefined();
    expect(found).toEqual({
      nodes: [
        {
          company: { identifier: cnpj('group-leaf') },
          name: 'ANDAR DE BAIXO SERVICOS LTDA',
          status: 'ACTIVE',
          role: 'Sócio',
          since: '2015-06-01',
        },
        {
          company: { identifier: cnpj('group-closed') },
          name: 'ANDAR INTERDITADO LTDA',
          status: 'INACTIVE',
          role: 'Sócio',
          since: '2016-01-04',
        },
      ],
      companyKnown: true,
      completeness: 'COMPLETE',
      reason: null,
      pageInfo: { hasNextPage: false, endCursor: expect.any(String) },
      freshness: { dataAsOf: extract },
    });
    expect(extensions.cost.counted).toEqual({ OWNERS: 1 });
  });

  it('has the same list for a branch, because the registry records owners per company', async () => {
    expect((await owns(cnpj('group-middle-branch'))).owns.nodes).toEqual((await owns(cnpj('group-middle'))).owns.nodes);
  });

  it.each([
    ['that owns nothing', 'clean', true],
    ['that owns itself', 'owners-self', true],
    ['that the registry does not know and that is an owner', 'unknown', false],
  ])('answers for a company %s', async (_, scenario, companyKnown) => {
    const owned = { clean: [], 'owners-self': ['owners-self'], unknown: ['owners-unknown'] }[scenario] ?? [];
    expect((await owns(cnpj(scenario))).owns).toMatchObject({
      companyKnown,
      nodes: owned.map((one) => ({ company: { identifier: cnpj(one) }, name: companyByScenario(one).name })),
    });
  });

  it('is not counted for a company that the registry does not know and that owns nothing', async () => {
    const { owns: found, extensions } = await owns('00.000.000/0001-91');
    expect(found).toMatchObject({ nodes: [], companyKnown: false });
    expect(extensions.cost.counted).toEqual({});
  });

  it('continues after a cursor of its own list, and refuses that of another company', async () => {
    const id = cnpj('debarred-ceis');
    const all = (await owns(id)).owns.nodes;
    expect(all.length).toBe(2);
    const first = (await owns(id, '(first: 1)')).owns;
    expect([first.nodes, first.pageInfo.hasNextPage]).toEqual([all.slice(0, 1), true]);
    const rest = (await owns(id, `(first: 1, after: "${first.pageInfo.endCursor}")`)).owns;
    expect([rest.nodes, rest.pageInfo.hasNextPage]).toEqual([all.slice(1), false]);
    const foreign = await owns(cnpj('group-middle'), `(after: "${first.pageInfo.endCursor}")`);
    expect([foreign.owns, foreign.errors[0].extensions]).toMatchObject([null, { code: 'INVALID_INPUT', field: 'after' }]);
  });

  it('reads the lists of many companies by one statement', async () => {
    const ids = ['debarred-ceis', 'group-middle', 'group-leaf', 'owners-level-2', 'owners-self', 'clean'].map(cnpj);
    statements.length = 0;
    const query = 'query ($ids: [String!]!) { companies(identifiers: $ids) { owns(first: 3) { nodes { name } } } }';
    const { body } = await app.query(query, { ids });
    expect(body.data.companies.map(({ owns }: { owns: { nodes: unknown[] } }) => owns.nodes.length)).toEqual([2, 2, 1, 1, 1, 0]);
    expect(statements.filter((sql) => sql.includes('receita_partners_v'))).toHaveLength(1);
  });

  it('needs the module, and is null without an error for another country', async () => {
    const { owns: found, errors } = await owns(cnpj('clean'), '', await app.keyFor('kyb'));
    expect([found, errors[0].extensions]).toMatchObject([null, { code: 'MODULE_NOT_ENABLED', module: 'OWNERS' }]);
    const { body } = await app.query(
      '{ company(identifier: "900.964.705-5", country: CO) { owns { companyKnown } branches { companyKnown } } }',
    );
    expect([body.data.company, body.errors]).toEqual([{ owns: null, branches: null }, undefined]);
  });
});

describe('GET /v1/companies/{country}/{id}/holdings', () => {
  it('replies with the same list', async () => {
    expect(await rest(cnpj('debarred-both'))).toMatchObject({
      status: 200,
      body: {
        identifier: cnpj('debarred-both'),
        country: 'BR',
        company_known: true,
        holdings: [
          {
            identifier: cnpj('group-middle'),
            company_name: 'ANDAR DO MEIO PARTICIPACOES LTDA',
            status: 'active',
            role: 'Sócio',
            since: '2015-06-01',
          },
        ],
        completeness: 'complete',
        reason: null,
        data_as_of: extract,
        has_more: false,
      },
    });
  });

  it.each([
    [
      'a cursor of another company',
      () => `?after=${Buffer.from('["holding","99030001","99040014","22",null]').toString('base64url')}`,
      'after',
    ],
    ['a text that is no cursor', () => '?after=x', 'after'],
    ['a page of 101', () => '?limit=101', 'limit'],
  ])('refuses %s', async (_, query, field) => {
    expect(await rest(cnpj('group-middle'), query())).toMatchObject({ status: 422, body: { code: 'invalid_input', errors: [{ field }] } });
  });

  it('refuses another country', async () => {
    expect(await call(app, 'GET', '/v1/companies/CO/9009647055/holdings')).toMatchObject({
      status: 422,
      body: { code: 'unsupported_country' },
    });
  });
});

describe('Company.branches', () => {
  const branches = async (id: string, args = '') => {
    const fields = `nodes { company { identifier } tradeName status statusText statusSince openedOn mainActivity { code text } municipality region }
      companyKnown completeness reason pageInfo { hasNextPage endCursor } freshness { dataAsOf }`;
    const { body } = await app.query(`{ company(identifier: "${id}") { branches${args} { ${fields} } } }`);
    return { ...body, branches: body.data?.company.branches };
  };
  const active = {
    company: { identifier: cnpj('group-middle-branch') },
    tradeName: 'MEIO ANDAR',
    status: 'ACTIVE',
    statusText: 'ATIVA',
    statusSince: '2018-02-01',
    openedOn: '2018-02-01',
    mainActivity: { code: '6462000', text: 'Holdings de instituições não-financeiras' },
    municipality: 'MANAUS',
    region: 'AM',
  };
  const closed = {
    ...active,
    company: { identifier: cnpj('group-middle-closed-branch') },
    tradeName: null,
    status: 'INACTIVE',
    statusText: 'BAIXADA',
    statusSince: '2020-10-10',
    openedOn: '2016-05-02',
    municipality: 'CUIABA',
    region: 'MT',
  };

  it('lists the branches without the head office, also for a branch', async () => {
    for (const scenario of ['group-middle', 'group-middle-branch'])
      expect((await branches(cnpj(scenario))).branches).toEqual({
        nodes: [active, closed],
        companyKnown: true,
        completeness: 'COMPLETE',
        reason: null,
        pageInfo: { hasNextPage: false, endCursor: expect.any(String) },
        freshness: { dataAsOf: extract },
      });
    expect((await branches(cnpj('group-leaf'))).branches).toMatchObject({ nodes: [], companyKnown: true });
    expect((await branches(cnpj('unknown'))).branches).toMatchObject({ nodes: [], companyKnown: false });
  });

  it('selects by status, and a cursor belongs to the list of its status', async () => {
    const id = cnpj('group-middle');
    expect((await branches(id, '(status: ACTIVE)')).branches.nodes).toEqual([active]);
    expect((await branches(id, '(status: INACTIVE)')).branches.nodes).toEqual([closed]);
    const { endCursor } = (await branches(id, '(first: 1)')).branches.pageInfo;
    expect((await branches(id, `(after: "${endCursor}")`)).branches.nodes).toEqual([closed]);
    for (const args of [`(status: ACTIVE, after: "${endCursor}")`, '(status: NOT_FOUND)'])
      expect((await branches(id, args)).errors[0].extensions).toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('is the list of GET /v1/companies/{country}/{id}/branches', async () => {
    const { body } = await call(app, 'GET', `/v1/companies/BR/${cnpj('group-middle')}/branches?status=active&limit=1`);
    expect(body).toMatchObject({
      company_known: true,
      branches: [{ identifier: cnpj('group-middle-branch'), trade_name: 'MEIO ANDAR', status: 'active', region: 'AM' }],
      completeness: 'complete',
      has_more: false,
      data_as_of: extract,
    });
    const next = await call(app, 'GET', `/v1/companies/BR/${cnpj('group-middle')}/branches?status=active&after=${body.next_after}`);
    expect(next.body).toMatchObject({ branches: [], has_more: false, next_after: null });
  });
});

describe('a service without a copy', () => {
  it.each([
    ['live', 'SOURCE_NOT_CONFIGURED'],
    ['copy', 'SOURCE_UNAVAILABLE'],
    ['copy-then-live', 'SOURCE_UNAVAILABLE'],
  ])(
    'in the mode %s never answers with an empty list',
    async (mode, code) => {
      const bare = await testApp({ env: { QUIPU_RECEITA_MODE: mode } });
      try {
        const { body } = await bare.query(
          `{ company(identifier: "${cnpj('debarred-ceis')}") { owns { nodes { name } } branches { nodes { status } } } }`,
        );
        expect(body.data.company).toEqual({ owns: null, branches: null });
        expect(body.errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code)).toEqual([code, code]);
        const reply = await call(bare, 'GET', `/v1/companies/BR/${cnpj('debarred-ceis')}/holdings`);
        expect(reply).toMatchObject({ status: 503, body: { code: code.toLowerCase() } });
      } finally {
        await bare.close();
      }
    },
    120_000,
  );
});
