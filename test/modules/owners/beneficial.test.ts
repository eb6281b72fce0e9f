import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { type BeneficialOwners, beneficialOwners } from '../../../src/modules/owners/domain/beneficial.ts';
import type { OwnershipEdge, OwnershipGraph } from '../../../src/modules/owners/domain/graph.ts';
import type { Owner } from '../../../src/modules/owners/domain.ts';
import { type TestApp, testApp } from '../../support/app.ts';

const cnpj = (scenario: string): string => companyByScenario(scenario).cnpj;

const owner = (name: string, role = 'Sócio', change: Partial<Owner> = {}): Owner => ({
  ...{ name, role, entityType: 'individual', identifier: '***000101**', entryDate: '2012-03-14', country: null },
  ...{ legalRepName: null, legalRepRole: null },
  ...change,
});
const company = (taxId: string): Owner => owner(taxId, 'Sócio', { entityType: 'company', identifier: taxId });

/** Computes the owners of the company `A` from the owners of each company; companies are named by a letter. */
function ownersOf(all: Readonly<Record<string, readonly Owner[]>>, minShare = 25): BeneficialOwners {
  const edges = Object.entries(all).flatMap(([owned, owners]) =>
    owners.flatMap(({ entityType, identifier, role }): OwnershipEdge[] =>
      entityType === 'company' && identifier ? [{ owner: identifier, owned, role, since: null }] : [],
    ),
  );
  const nodes = Object.keys(all).map((taxId, depth) => ({ taxId, name: taxId, depth, relation: depth === 0 ? 'self' : 'owner' }) as const);
  const graph: OwnershipGraph = { nodes, edges, complete: true, notSeen: [] };
  return beneficialOwners(graph, new Map(Object.entries(all)), minShare);
}

const officer = (taxId: string): Owner => ({ ...company(taxId), role: 'Administrador' });

const shown = ({ owners }: BeneficialOwners) =>
  owners.map(({ name, path, share }) => [name, path.map((edge) => edge.owner).join(''), share.percent, share.basis]);

describe('the natural persons at the ends of the paths of owners', () => {
  it('have an inferred share only if each owner on the path is the only partner', () => {
    expect(shown(ownersOf({ A: [owner('ANA')] }))).toEqual([['ANA', '', '100', 'inferred_sole']]);
    expect(shown(ownersOf({ A: [company('B')], B: [owner('ANA')] }))).toEqual([['ANA', 'B', '100', 'inferred_sole']]);
    expect(shown(ownersOf({ A: [company('B'), owner('RUI')], B: [owner('ANA')] }))).toEqual([
      ['RUI', '', null, 'not_filed'],
      ['ANA', 'B', null, 'not_filed'],
    ]);
  });

  it('are not left out because of a minimum if their share is not known', () => {
    expect(shown(ownersOf({ A: [owner('ANA'), owner('RUI')] }, 100))).toHaveLength(2);
  });

  it('are partners and not officers', () => {
    expect(shown(ownersOf({ A: [owner('ANA'), owner('RUI', 'Diretor'), owner('EVA', 'Sócio sem Capital')] }))).toEqual([
      ['ANA', '', '100', 'inferred_sole'],
    ]);
  });

  it('are one person with several roles, whose first entry counts', () => {
    const roles = ['Administrador', 'Sócio-Administrador', 'Sócio', 'Administrador'].map((role, i) =>
      owner('ANA', role, { entryDate: ['2001-01-01', '2012-03-14', '2010-05-02', null][i] ?? null }),
    );
    const { owners } = ownersOf({ A: roles });
    expect(owners).toMatchObject([
      {
        ...{ name: 'ANA', role: 'Sócio-Administrador', roles: ['Sócio-Administrador', 'Sócio', 'Administrador'], entryDate: '2010-05-02' },
        share: { percent: '100', basis: 'inferred_sole' },
      },
    ]);
    expect(ownersOf({ A: [owner('ANA', ''), owner('ANA')] }).owners).toMatchObject([{ role: 'Sócio', roles: ['Sócio'] }]);
    const two = ownersOf({ A: [owner('ANA'), owner('ANA'), owner('ANA', 'Administrador'), owner('RUI', 'Diretor')] });
    expect(two.owners.map(({ name, roles: [...all] }) => [name, all])).toEqual([
      ['ANA', ['Sócio']],
      ['ANA', ['Sócio']],
    ]);
  });

  it.each([
    'Acionista',
    'Acionista Controlador',
    'Sócio Comanditado',
    'Sócio Comanditário',
    'Sócio Comanditário Pessoa Física Residente no Exterior',
    'Sócio de Indústria',
    'Sócio Capitalista',
    'Sócio Ostensivo',
    'Sociedade Consorciada',
  ])('have no inferred share as %s, who is not the only owner', (role) => {
    expect(shown(ownersOf({ A: [owner('ANA', role)] }))).toEqual([['ANA', '', null, 'not_filed']]);
    expect(shown(ownersOf({ A: [owner('ANA', role), owner('ANA', 'Sócio-Administrador')] }))).toEqual([['ANA', '', null, 'not_filed']]);
    expect(shown(ownersOf({ A: [{ ...company('B'), role }], B: [owner('ANA')] }))).toEqual([['ANA', 'B', null, 'not_filed']]);
  });

  it.each(['Beneficiário Final', '', 'Não informada'])(
    'may own a company with the role "%s": they are named, and nobody has an inferred share',
    (role) => {
      const rui = owner('RUI', role, { identifier: '***000202**' });
      expect(shown(ownersOf({ A: [owner('ANA'), rui] }))).toEqual([
        ['ANA', '', null, 'not_filed'],
        ['RUI', '', null, 'not_filed'],
      ]);
      const alone = ownersOf({ A: [company('B')], B: [rui] });
      expect(shown(alone)).toEqual([['RUI', 'B', null, 'not_filed']]);
      expect(alone.notSeen).toEqual([{ reason: 'owners_not_filed', count: 1, companies: ['B'] }]);
    },
  );

  it('are those of the members of a consortium', () => {
    const member = { ...company('B'), role: 'Sociedade Consorciada' };
    const other = { ...company('C'), role: 'Sociedade Consorciada' };
    expect(shown(ownersOf({ A: [member, other], B: [owner('ANA')], C: [owner('RUI')] }))).toEqual([
      ['ANA', 'B', null, 'not_filed'],
      ['RUI', 'C', null, 'not_filed'],
    ]);
  });

  it('are not the owners of a company that is only an officer, also where that company is owned by the requested one', () => {
    expect(shown(ownersOf({ A: [owner('ANA'), officer('B')], B: [owner('RUI')] }))).toEqual([['ANA', '', '100', 'inferred_sole']]);
    expect(shown(ownersOf({ A: [officer('B'), owner('ANA')], B: [company('A'), owner('RUI')] }))).toEqual([
      ['ANA', '', '100', 'inferred_sole'],
    ]);
    expect(shown(ownersOf({ A: [company('B')], B: [officer('C'), owner('ANA')], C: [owner('RUI')] }))).toEqual([
      ['ANA', 'B', '100', 'inferred_sole'],
    ]);
  });

  const nameless = owner('', 'Sócio', { identifier: null });
  it.each([
    ['without a name', [nameless, nameless]],
    ['without an id', [owner('JOHN DOE', 'Sócio', { identifier: null }), owner('JOHN DOE', 'Sócio-Administrador', { identifier: null })]],
    ['with one name, the same visible digits and one role', [owner('ANA'), owner('ANA', 'Sócio', { entryDate: '2015-01-01' })]],
  ])('are not one sole partner: two rows %s', (_, owners) => {
    expect(ownersOf({ A: owners }).owners.map(({ share }) => share.basis)).toEqual(['not_filed', 'not_filed']);
  });

  it('may be missing if a partner has no name', () => {
    const gap = { reason: 'owners_not_filed', count: 1, companies: ['A'] };
    expect(ownersOf({ A: [owner('ANA'), nameless] })).toMatchObject({ complete: false, notSeen: [gap] });
  });

  it('have no inferred share if rows of partners could not be read', () => {
    const nodes = [{ taxId: 'A', name: 'A', depth: 0, relation: 'self' }] as const;
    const graph: OwnershipGraph = { nodes, edges: [], complete: false, notSeen: [{ reason: 'unread_rows', count: 1, companies: [] }] };
    const found = beneficialOwners(graph, new Map([['A', [owner('ANA')]]]), 25);
    expect(shown(found)).toEqual([['ANA', '', null, 'not_filed']]);
    expect(found.complete).toBe(false);
  });

  it('are not known of a company that files officers only', () => {
    expect(ownersOf({ A: [owner('RUI', 'Presidente')] })).toEqual({
      owners: [],
      complete: false,
      notSeen: [{ reason: 'owners_not_filed', count: 1, companies: ['A'] }],
    });
  });

  it('have a path also in a cycle, and no share where a company owns itself', () => {
    expect(shown(ownersOf({ A: [company('B')], B: [company('A'), owner('ANA')] }))).toEqual([['ANA', 'B', null, 'not_filed']]);
    expect(shown(ownersOf({ A: [company('A'), owner('ANA')] }))).toEqual([['ANA', '', null, 'not_filed']]);
  });
});

describe('Company.beneficialOwners', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp();
  }, 120_000);
  afterAll(() => app.close());

  const FIELDS = `owners { name identifier role registeredIn { identifier } path { owner { identifier } owned { identifier } } share { percent basis } }
    complete notSeen { reason count companies { identifier } } freshness { fetchedAt }`;
  const ask = async (id: string, args = '', key?: string) => {
    const { body } = await app.query(`{ company(identifier: "${id}") { beneficialOwners${args} { ${FIELDS} } } }`, {}, key);
    return { ...body, found: body.data?.company.beneficialOwners };
  };

  it('follows the owners to the people at the top, without a copy of the registry, too', async () => {
    const { found, errors, extensions } = await ask(cnpj('owners-level-1'));
    expect(errors).toBeUndefined();
    const registered = found.owners.map(({ registeredIn }: { registeredIn: { identifier: string } }) => registeredIn.identifier);
    expect(registered).toEqual([cnpj('owners-level-1'), cnpj('owners-top'), cnpj('owners-top')]);
    expect(found.owners[1]).toMatchObject({
      identifier: expect.stringMatching(/^\*{3}\d{6}\*{2}$/),
      share: { percent: null, basis: 'NOT_FILED' },
    });
    expect(found.owners[1].path).toHaveLength(3);
    expect(found).toMatchObject({ complete: true, notSeen: [] });
    expect(extensions.cost.counted).toEqual({ OWNERS: 1 });
  });

  it('names foreign owners, whose owners are not known', async () => {
    const { found } = await ask(cnpj('owners-foreign'));
    expect(found).toMatchObject({ complete: false, notSeen: [{ reason: 'FOREIGN_OWNER', count: 1 }] });
    expect(found.owners).toMatchObject([{ name: 'JOHN SAMPLE DOE', identifier: null }]);
  });

  it.each(['-1', '101', '"many"'])('refuses the minimum share %s', async (share) => {
    const { found, errors } = await ask(cnpj('clean'), `(minShare: ${share})`);
    expect([found, errors[0].extensions]).toMatchObject([null, { code: 'INVALID_INPUT', field: 'minShare' }]);
  });

  it.each([[{ valueOf: 1, toString: 1 }], [[25]], [true]])('refuses the minimum share %j, which is no number', async (share) => {
    const query = `query ($share: Decimal) { company(identifier: "${cnpj('clean')}") { beneficialOwners(minShare: $share) { complete } } }`;
    const { body } = await app.query(query, { share });
    expect(body.errors[0].extensions.code).toBe('BAD_USER_INPUT');
  });

  it('is an error for a company that the registry does not know, and for a key without the module', async () => {
    expect((await ask('00.000.000/0001-91')).errors[0].extensions.code).toBe('COMPANY_NOT_FOUND');
    expect((await ask(cnpj('clean'), '', await app.keyFor('kyb'))).errors[0].extensions.code).toBe('MODULE_NOT_ENABLED');
  });
});
