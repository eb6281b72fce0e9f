import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import type { ModuleName } from '../../../src/domain/catalogue.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { appWithCopy } from '../../support/registry-copy.ts';
import { BRAZILIAN_LISTS, LISTS } from './list-reads.ts';

const cnpj = (scenario: string): string => companyByScenario(scenario).cnpj;
const company = (scenario: string) => ({ identifier: cnpj(scenario), country: 'BR' });
const step = (owner: string, owned: string) => ({ owner: cnpj(owner), owned: cnpj(owned), role: 'Sócio', since: '2015-06-01' });

let app: TestApp;
beforeAll(async () => {
  app = await appWithCopy();
}, 120_000);
afterAll(() => app.close());

const post = async (path: string, body: object, { modules, of = app }: { modules?: readonly ModuleName[]; of?: TestApp } = {}) =>
  of.post(path, body, modules && (await of.keyFor(...modules)));

describe.each(['/v1/group-findings', '/v1/beneficial-owners', '/v1/other-companies'])('POST %s', (path) => {
  const owner = { name: 'ELISA PEREIRA ALHURES', identifier: '***000082**' };
  it.each([
    ['a malformed CNPJ', { identifier: '99.010.001/0001-85' }, 422, 'invalid_input'],
    ['another country', { country: 'CO', identifier: '900.964.705-5' }, 422, 'unsupported_country'],
    ['a company that the registry does not have', { identifier: '00.000.000/0001-91' }, 404, 'company_not_found'],
  ])('refuses %s', async (_, over, status, code) => {
    expect(await app.post(path, { ...company('group-leaf'), owner, ...over })).toMatchObject({ status, body: { code } });
  });

  it('needs the module of the owners', async () => {
    const reply = await post(path, { ...company('group-leaf'), owner }, { modules: ['kyb', 'debarment'] });
    expect(reply).toMatchObject({ status: 403, body: { code: 'module_not_enabled' } });
    expect(reply.headers['usage-counted']).toBeUndefined();
  });
});

describe('POST /v1/group-findings', () => {
  it('has the records about the debarred company three levels above, with the path to it', async () => {
    const { status, body, headers } = await app.post('/v1/group-findings', company('group-cellar'));
    expect([status, headers['usage-counted']]).toEqual([200, 'owners=1']);
    expect(body).toMatchObject({
      ...company('group-cellar'),
      companies_checked: 4,
      lists_checked: LISTS,
      lists_not_checked: [],
      complete: true,
      not_seen: [],
    });
    expect(new Set(body.findings.map(({ list_name: list }: { list_name: string }) => list))).toEqual(new Set(['CEIS', 'CNEP']));
    for (const finding of body.findings)
      expect(finding).toMatchObject({
        ...{ identifier: cnpj('debarred-both'), company_name: 'DOBRADINHA CONTRATOS LTDA', relation: 'owner', depth: 3 },
        matched_on: 'tax_id',
        path: [step('group-leaf', 'group-cellar'), step('group-middle', 'group-leaf'), step('debarred-both', 'group-middle')],
      });
  });

  it('names the lists whose modules the key does not have, and needs one of them', async () => {
    const some = await post('/v1/group-findings', company('group-cellar'), { modules: ['owners', 'sanctions'] });
    expect(some.body).toMatchObject({
      findings: [],
      lists_not_checked: BRAZILIAN_LISTS.map((list) => ({ list_name: list, reason: 'module_not_enabled' })),
    });
    const none = await post('/v1/group-findings', company('group-cellar'), { modules: ['owners'] });
    expect(none).toMatchObject({ status: 403, body: { code: 'module_not_enabled' } });
  });

  it('follows the direction and the depth, and refuses others', async () => {
    const down = await app.post('/v1/group-findings', { ...company('labor-listed'), direction: 'down', depth: 1 });
    expect(down.body.findings).toMatchObject([{ relation: 'self', depth: 0, list_name: 'TRABALHO_ESCRAVO', path: [] }]);
    for (const over of [{ depth: 11 }, { depth: 0 }, { direction: 'sideways' }])
      expect(await app.post('/v1/group-findings', { ...company('clean'), ...over })).toMatchObject({ status: 422 });
  });

  it('CG-07 is never empty while a list is missing, and says what it cannot see without a copy', async () => {
    const bare = await testApp({ env: { QUIPU_CEIS_URL: 'http://127.0.0.1:9/', QUIPU_LIST_INTERVAL: '24h' } });
    try {
      const { body } = await bare.post('/v1/group-findings', company('owners-level-1'));
      expect(body).toMatchObject({
        findings: null,
        lists_not_checked: [{ list_name: 'CEIS', reason: 'source_unavailable' }],
        complete: false,
        not_seen: [{ reason: 'no_copy', count: 0, companies: [] }],
      });
      expect(await bare.post('/v1/group-findings', { ...company('clean'), direction: 'down' })).toMatchObject({
        status: 503,
        body: { code: 'source_not_configured' },
      });
    } finally {
      await bare.close();
    }
  }, 120_000);
});

describe('POST /v1/beneficial-owners', () => {
  it('has the people at the ends of the paths of owners, and no figure where the registry has none', async () => {
    const { status, body, headers } = await app.post('/v1/beneficial-owners', company('owners-level-1'));
    expect([status, headers['usage-counted']]).toEqual([200, 'owners=1']);
    expect(body).toMatchObject({ ...company('owners-level-1'), complete: true, not_seen: [] });
    expect(body.owners.map(({ registered_in }: { registered_in: string }) => registered_in)).toEqual([
      cnpj('owners-level-1'),
      cnpj('owners-top'),
      cnpj('owners-top'),
    ]);
    expect(body.owners[1]).toMatchObject({
      identifier: expect.stringMatching(/^\*{3}\d{6}\*{2}$/),
      share: { percent: null, basis: 'not_filed' },
    });
    expect(body.owners[1].path).toHaveLength(3);
  });

  it('names foreign owners, whose owners are not known', async () => {
    const { body } = await app.post('/v1/beneficial-owners', company('owners-foreign'));
    expect(body).toMatchObject({ complete: false, not_seen: [{ reason: 'foreign_owner', count: 1 }] });
  });

  it.each([-1, 101, 'many', null])('refuses the minimum share %s', async (share) => {
    expect(await app.post('/v1/beneficial-owners', { ...company('clean'), min_share: share })).toMatchObject({
      status: 422,
      body: { code: 'invalid_input', errors: [{ field: 'min_share' }] },
    });
  });

  it('accepts a share as digits in a text, and with decimals', async () => {
    for (const share of ['50', 33.3])
      expect(await app.post('/v1/beneficial-owners', { ...company('clean'), min_share: share })).toMatchObject({ status: 200 });
  });
});

describe('POST /v1/other-companies', () => {
  const ask = (scenario: string, owner: object, over: object = {}) =>
    app.post('/v1/other-companies', { ...company(scenario), owner, ...over });
  const ownersOf = async (scenario: string): Promise<readonly { readonly name: string; readonly identifier: string }[]> =>
    (await app.post('/v1/owners', company(scenario))).body.owners;

  it('has those of a person, with what the identity rests on, and counts the owners and the page', async () => {
    const owner = (await ownersOf('group-leaf')).find(({ name }) => name === 'ELISA PEREIRA ALHURES') ?? {};
    const { status, body, headers } = await ask('group-leaf', owner);
    expect([status, headers['usage-counted']]).toEqual([200, 'owners=2']);
    expect(body).toMatchObject({
      ...company('group-leaf'),
      owner: { name: 'ELISA PEREIRA ALHURES', identifier: '***000082**', entity_type: 'individual' },
      identity: { identifier: '***000082**', name: 'ELISA PEREIRA ALHURES', namesakes: 1, expected_others: 0 },
      companies: [{ identifier: cnpj('group-neighbour'), role: 'Sócio-Administrador', since: '2019-07-01' }],
      company_known: true,
      completeness: 'complete',
      reason: null,
      has_more: false,
    });
  });

  it('has those of a company, which its CNPJ in any spelling identifies', async () => {
    const { body } = await ask('group-leaf', { identifier: '99.041.001/0001-41' });
    expect(body).toMatchObject({ owner: { entity_type: 'company' }, identity: null, companies: [{ identifier: cnpj('group-closed') }] });
  });

  it.each([
    ['another name', { name: 'ELISA PEREIRA', identifier: '***000082**' }],
    ['no name', { identifier: '***000082**' }],
    ['other digits', { name: 'ELISA PEREIRA ALHURES', identifier: '***000083**' }],
    ['a person of another company', { name: 'CARLA GOMES INVENTADA', identifier: '***000081**' }],
    ['a company that owns another company', { identifier: '99.030.006/0001-79' }],
  ])('CG-08 finds nobody by %s: an owner of the company is required', async (_, owner) => {
    const reply = await ask('group-leaf', owner);
    expect(reply).toMatchObject({ status: 422, body: { code: 'invalid_input', errors: [{ field: 'owner' }] } });
    expect(reply.headers['usage-counted']).toBeUndefined();
  });

  it.each([
    [{ owner: undefined }, 'owner'],
    [{ owner: { name: 'ELISA PEREIRA ALHURES', identifier: null } }, 'owner.identifier'],
    [{ limit: 101 }, 'limit'],
    [{ after: 'x' }, 'after'],
  ])('refuses %o, and counts nothing', async (over, field) => {
    const owner = { name: 'ELISA PEREIRA ALHURES', identifier: '***000082**' };
    const reply = await ask('group-leaf', owner, over);
    expect(reply).toMatchObject({ status: 422, body: { errors: [{ field }] } });
    expect(reply.headers['usage-counted']).toBeUndefined();
  });

  it('continues after next_after, which belongs to the owner, also in GraphQL', async () => {
    const [first = {}, second = {}] = await ownersOf('clean');
    const all = (await ask('clean', first)).body.companies;
    const page = (await ask('clean', first, { limit: 1 })).body;
    expect(page).toMatchObject({ companies: [all[0]], has_more: true });
    const next = (await ask('clean', first, { limit: 1, after: page.next_after })).body;
    expect(next.companies).toEqual([all[1]]);
    expect(await ask('clean', second, { after: page.next_after })).toMatchObject({ status: 422, body: { errors: [{ field: 'after' }] } });
    const { body } = await app.query(
      `{ company(identifier: "${cnpj('clean')}") { owners { owners { otherCompanies(first: 1, after: "${page.next_after}") { nodes { company { identifier } } } } } } }`,
    );
    expect(body.data.company.owners.owners[0].otherCompanies.nodes).toEqual([{ company: { identifier: all[1].identifier } }]);
  });

  it('is an error and never empty on a service without a copy', async () => {
    const bare = await testApp();
    try {
      const owner = { name: 'ELISA PEREIRA ALHURES', identifier: '***000082**' };
      const reply = await post('/v1/other-companies', { ...company('group-leaf'), owner }, { of: bare });
      expect(reply).toMatchObject({ status: 503, body: { code: 'source_not_configured' } });
      expect(reply.headers['usage-counted']).toBeUndefined();
    } finally {
      await bare.close();
    }
  }, 120_000);
});
