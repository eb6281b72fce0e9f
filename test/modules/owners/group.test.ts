import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { appWithCopy, COPY_MODE, loadSandboxCopy, statementsOf } from '../../support/registry-copy.ts';

const cnpj = (scenario: string): string => companyByScenario(scenario).cnpj;
const nameOf = (scenario: string): string => companyByScenario(scenario).name;

let app: TestApp;
let statements: string[];
beforeAll(async () => {
  app = await appWithCopy();
  statements = statementsOf(app);
}, 120_000);
afterAll(() => app.close());

const GRAPH = `complete nodes { company { identifier } name depth relation } edges { owner { identifier } owned { identifier } role since }
  notSeen { reason count companies { identifier } } freshness { dataAsOf }`;
async function group(scenario: string, args = '', of = app) {
  const { body } = await of.query(`{ company(identifier: "${cnpj(scenario)}") { group${args} { ${GRAPH} } } }`);
  return { ...body, group: body.data?.company.group };
}

const node = (scenario: string, depth: number, relation: 'SELF' | 'OWNER' | 'OWNED') => ({
  company: { identifier: cnpj(scenario) },
  name: nameOf(scenario),
  depth,
  relation,
});
const edge = (owner: string, owned: string, since = '2015-06-01') => ({
  owner: { identifier: cnpj(owner) },
  owned: { identifier: cnpj(owned) },
  role: 'Sócio',
  since,
});

describe('Company.group', () => {
  it('has the companies above and below, each with its distance', async () => {
    const { errors, group: found, extensions } = await group('group-middle');
    expect(errors).toBeUndefined();
    expect(found).toEqual({
      complete: true,
      nodes: [
        node('group-middle', 0, 'SELF'),
        node('debarred-both', 1, 'OWNER'),
        node('group-leaf', 1, 'OWNED'),
        node('group-closed', 1, 'OWNED'),
        node('group-cellar', 2, 'OWNED'),
      ],
      edges: [
        edge('debarred-both', 'group-middle'),
        edge('group-middle', 'group-leaf'),
        edge('group-middle', 'group-closed', '2016-01-04'),
        edge('group-leaf', 'group-cellar'),
      ],
      notSeen: [],
      freshness: { dataAsOf: expect.stringMatching(/-14$/) },
    });
    expect(extensions.cost.counted).toEqual({ OWNERS: 1 });
  });

  it('does not go sideways: a sibling through a common owner is no part of it', async () => {
    const { group: found } = await group('group-closed', '(depth: 10)');
    expect(found.nodes).toEqual([node('group-closed', 0, 'SELF'), node('group-middle', 1, 'OWNER'), node('debarred-both', 2, 'OWNER')]);
  });

  it('follows three levels down from the debarred company at its top', async () => {
    const { group: found } = await group('debarred-both', '(direction: DOWN)');
    expect(found.nodes.map(({ depth }: { depth: number }) => depth)).toEqual([0, 1, 2, 2, 3]);
    expect(found).toMatchObject({ complete: true, notSeen: [] });
  });

  it('says at which companies the depth ends it', async () => {
    const { group: found } = await group('debarred-both', '(direction: DOWN, depth: 1)');
    expect(found.nodes).toEqual([node('debarred-both', 0, 'SELF'), node('group-middle', 1, 'OWNED')]);
    expect(found).toMatchObject({
      complete: false,
      notSeen: [{ reason: 'DEPTH', count: 2, companies: [{ identifier: cnpj('group-middle') }] }],
    });
  });

  it('is the ownership graph upwards', async () => {
    for (const [scenario, depth] of [
      ['owners-level-1', 2],
      ['owners-level-1', 10],
      ['owners-cycle-a', 3],
      ['owners-unknown', 3],
      ['owners-foreign', 3],
    ] as const) {
      const query = `{ company(identifier: "${cnpj(scenario)}") { group(depth: ${depth}, direction: UP) { ${GRAPH} } ownershipGraph(depth: ${depth}) { ${GRAPH} } } }`;
      const { company } = (await app.query(query)).body.data;
      expect(company.group).toEqual(company.ownershipGraph);
      expect(company.group.nodes.length).toBeGreaterThan(0);
    }
  });

  it('has each company of a cycle once, and the edge that closes it', async () => {
    const { group: found } = await group('owners-cycle-a', '(direction: DOWN, depth: 5)');
    expect(found.nodes.map(({ name }: { name: string }) => name)).toEqual(['a', 'b', 'c'].map((one) => nameOf(`owners-cycle-${one}`)));
    expect([found.edges.length, found.complete]).toEqual([3, true]);
    const both = (await group('owners-cycle-a')).group;
    expect([both.nodes.length, both.edges.length, both.complete]).toEqual([3, 3, true]);
    const self = (await group('owners-self')).group;
    expect([self.nodes.length, self.edges.length]).toEqual([1, 1]);
  });

  it('names what it cannot see: foreign owners and owners without a record', async () => {
    expect((await group('owners-foreign')).group).toMatchObject({
      complete: true,
      notSeen: [{ reason: 'FOREIGN_OWNER', count: 1, companies: [{ identifier: cnpj('owners-foreign') }] }],
    });
    expect((await group('owners-unknown')).group).toMatchObject({
      complete: false,
      notSeen: [{ reason: 'NOT_IN_REGISTRY', count: 1, companies: [{ identifier: cnpj('unknown') }] }],
    });
  });

  it('reads one statement per level', async () => {
    statements.length = 0;
    await group('owners-top', '(direction: DOWN, depth: 2)');
    expect(statements.filter((sql) => sql.includes('receita_partners_v'))).toHaveLength(3); // two levels, and one to see what is below
  });

  it('is empty for a company that the registry does not know', async () => {
    const { body } = await app.query(
      `{ company(identifier: "00000000000191") { group { ${GRAPH} } down: group(direction: DOWN) { nodes { depth } } } }`,
    );
    expect(body.data.company).toMatchObject({ group: { nodes: [], edges: [], complete: true }, down: { nodes: [] } });
    expect(body.extensions.cost.counted).toEqual({});
  });

  it.each(['0', '11'])('refuses the depth %s', async (depth) => {
    expect((await group('clean', `(depth: ${depth})`)).errors[0].extensions).toMatchObject({ code: 'INVALID_INPUT', field: 'depth' });
  });
});

describe('the group of a company on a service without a copy', () => {
  it.each([
    ['live', 'NO_COPY', 'SOURCE_NOT_CONFIGURED'],
    ['copy-then-live', 'COPY_UNAVAILABLE', 'SOURCE_UNAVAILABLE'],
  ])(
    'in the mode %s has the owners, and says that what it owns is not known',
    async (mode, reason, code) => {
      const bare = await testApp({ env: { QUIPU_RECEITA_MODE: mode } });
      try {
        const { group: both } = await group('group-middle', '', bare);
        expect(both).toMatchObject({ complete: false, notSeen: [{ reason, count: 0, companies: [] }] });
        expect(both.nodes).toEqual([node('group-middle', 0, 'SELF'), node('debarred-both', 1, 'OWNER')]);
        const down = await group('group-middle', '(direction: DOWN)', bare);
        expect([down.group, down.errors[0].extensions.code]).toEqual([null, code]);
        expect((await group('group-middle', '(direction: UP)', bare)).group).toMatchObject({ complete: true });
      } finally {
        await bare.close();
      }
    },
    120_000,
  );
});

describe('the group of a company that is newer than the copy', () => {
  it('has the owners of the live record, and says that what it owns is not known', async () => {
    const app = await testApp({ env: { QUIPU_RECEITA_MODE: 'copy-then-live' } });
    try {
      await loadSandboxCopy(app);
      const { rows } = await app.db.raw('SELECT max(id) AS id FROM receita_versions');
      for (const table of ['companies', 'establishments', 'partners'])
        await app.db.raw('DELETE FROM ?? WHERE root = ?', [`receita_${table}_v${rows[0].id}`, cnpj('group-cellar').slice(0, 8)]);
      const { group: both } = await group('group-cellar', '', app);
      expect(both.nodes).toContainEqual(node('group-leaf', 1, 'OWNER'));
      expect(both).toMatchObject({ complete: false, notSeen: [{ reason: 'COPY_UNAVAILABLE', count: 0, companies: [] }] });
      const { body } = await app.query(`{ company(identifier: "${cnpj('group-cellar')}") { groupFindings { complete } } }`);
      expect(body.data.company.groupFindings).toEqual({ complete: false });
    } finally {
      await app.close();
    }
  }, 120_000);
});

describe('the owners of a company whose rows in the copy are damaged', () => {
  it('are incomplete: one without a readable CNPJ is no foreign owner, and unread rows may be of any company', async () => {
    const app = await testApp({ env: COPY_MODE });
    try {
      await loadSandboxCopy(app);
      const { rows } = await app.db.raw('SELECT max(id) AS id FROM receita_versions');
      const root = cnpj('group-cellar').slice(0, 8);
      await app.db.raw('UPDATE ?? SET document = NULL WHERE root = ? AND kind = 1', [`receita_partners_v${rows[0].id}`, root]);
      await app.db.raw(`UPDATE receita_files SET unread = 2 WHERE name = 'Socios0'`);
      const lost = { reason: 'NOT_IN_REGISTRY', count: 1, companies: [{ identifier: cnpj('group-cellar') }] };
      const unread = { reason: 'UNREAD_ROWS', count: 2, companies: [] };
      expect((await group('group-cellar', '(direction: UP)', app)).group).toMatchObject({ complete: false, notSeen: [lost, unread] });
      expect((await group('group-cellar', '', app)).group.notSeen).toEqual([lost, unread]);
      const { body } = await app.query(
        `{ company(identifier: "${cnpj('owners-top')}") { beneficialOwners { complete owners { share { basis } } notSeen { reason } } } }`,
      );
      expect(body.data.company.beneficialOwners).toMatchObject({ complete: false, notSeen: [{ reason: 'UNREAD_ROWS' }] });
    } finally {
      await app.close();
    }
  }, 120_000);
});
