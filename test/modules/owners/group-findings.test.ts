import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { MODULES, type ModuleName } from '../../../src/domain/catalogue.ts';
import { groupLoader } from '../../../src/modules/owners/loaders/group.ts';
import { findInGroup } from '../../../src/modules/owners/service/group-findings.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { expectShortTurns } from '../../support/longest-turn.ts';
import { appWithCopy } from '../../support/registry-copy.ts';
import { BRAZILIAN_LISTS, LISTS } from './list-reads.ts';

const cnpj = (scenario: string): string => companyByScenario(scenario).cnpj;

let app: TestApp;
beforeAll(async () => {
  app = await appWithCopy();
}, 120_000);
afterAll(() => app.close());

const FIELDS = `findings { company { identifier } companyName relation depth list entityId entryName matchedOn programs startsOn endsOn
    path { owner { identifier } owned { identifier } } }
  companiesChecked listsChecked listsNotChecked { list reason } complete notSeen { reason } freshness { fetchedAt }`;
async function ask(scenario: string, args = '', modules?: readonly ModuleName[], of = app) {
  const key = modules && (await of.keyFor(...modules));
  const { body } = await of.query(`{ company(identifier: "${cnpj(scenario)}") { groupFindings${args} { ${FIELDS} } } }`, {}, key);
  return { ...body, found: body.data?.company.groupFindings };
}

describe('Company.groupFindings', () => {
  it('finds the debarred company three levels above, with the path to it', async () => {
    const { errors, found } = await ask('group-cellar');
    expect(errors).toBeUndefined();
    expect([found.companiesChecked, found.listsChecked, found.listsNotChecked, found.complete]).toEqual([4, LISTS, [], true]);
    expect(new Set(found.findings.map(({ list }: { list: string }) => list))).toEqual(new Set(['CEIS', 'CNEP']));
    const step = (owner: string, owned: string) => ({ owner: { identifier: cnpj(owner) }, owned: { identifier: cnpj(owned) } });
    for (const finding of found.findings)
      expect(finding).toMatchObject({
        company: { identifier: cnpj('debarred-both') },
        companyName: 'DOBRADINHA CONTRATOS LTDA',
        relation: 'OWNER',
        depth: 3,
        matchedOn: 'CNPJ',
        path: [step('group-leaf', 'group-cellar'), step('group-middle', 'group-leaf'), step('debarred-both', 'group-middle')],
      });
  });

  it('finds companies below, and the requested company itself without a path', async () => {
    const { found } = await ask('labor-listed', '(direction: DOWN)');
    expect(found.findings).toMatchObject([
      { company: { identifier: cnpj('labor-listed') }, relation: 'SELF', depth: 0, list: 'TRABALHO_ESCRAVO', path: [] },
    ]);
    const both = (await ask('owners-listed', '(direction: UP, depth: 1)')).found;
    expect(new Set(both.findings.map(({ list }: { list: string }) => list))).toEqual(new Set(['OFAC_SDN', 'CEIS', 'TRABALHO_ESCRAVO']));
    expect(both.findings.some(({ matchedOn }: { matchedOn: string }) => matchedOn === 'ROOT')).toBe(true);
  });

  it('CG-07 is empty for a group without a listed company, and changes no verdict', async () => {
    expect((await ask('owners-level-1')).found).toMatchObject({ findings: [], complete: true });
    const { body } = await app.query(
      `{ company(identifier: "${cnpj('group-cellar')}") { groupFindings { companiesChecked } compliance { riskLevel } } }`,
    );
    expect(body.data.company.compliance.riskLevel).toBe('LOW');
  });

  it('reads the lists whose modules the key has, and names the others', async () => {
    const { found } = await ask('group-cellar', '', ['owners', 'sanctions']);
    expect(found).toMatchObject({
      findings: [],
      listsNotChecked: BRAZILIAN_LISTS.map((list) => ({ list, reason: 'MODULE_NOT_ENABLED' })),
    });
    for (const modules of [['owners'], ['debarment']] as const) {
      const refused = await ask('group-cellar', '', modules);
      expect([refused.found, refused.errors[0].extensions.code]).toEqual([null, 'MODULE_NOT_ENABLED']);
    }
  });

  it('is an error for a company that the registry does not know', async () => {
    const { body } = await app.query('{ company(identifier: "00000000000191") { groupFindings { companiesChecked } } }');
    expect(body.errors[0].extensions.code).toBe('COMPANY_NOT_FOUND');
  });

  it('CG-07 says what it could not see without a copy, and is never empty while lists are missing', async () => {
    const bare = await testApp({ env: { QUIPU_CEIS_URL: 'http://127.0.0.1:9/', QUIPU_LIST_INTERVAL: '24h' } });
    try {
      const { found } = await ask('owners-level-1', '', undefined, bare);
      expect(found).toMatchObject({ complete: false, notSeen: [{ reason: 'NO_COPY' }] });
      expect([found.findings, found.listsNotChecked]).toEqual([null, [{ list: 'CEIS', reason: 'SOURCE_UNAVAILABLE' }]]);
    } finally {
      await bare.close();
    }
  }, 120_000);
});

it('the 500 companies of a group are looked up list by list, so that other requests run in between', async () => {
  const nodes = Array.from({ length: 500 }, (_, i) => ({ taxId: `${i}`, name: null, depth: 1, relation: 'owned' }));
  const freshness = { fetchedAt: 0, dataAsOf: null, cached: false, stale: false, expiresAt: null };
  const ask = async (loader: unknown) => {
    if (loader === groupLoader) return { value: { nodes, edges: [], complete: true, notSeen: [] }, freshness };
    for (const end = performance.now() + 0.05; performance.now() < end; );
    return { value: [], freshness };
  };
  const ctx = { caller: { modules: new Set(MODULES), lists: { answers: [], verdicts: [] } }, ask };
  const key = { company: { country: 'BR', taxId: '0' }, depth: 1, direction: 'down' };
  await expectShortTurns('findings of a group', () => findInGroup(key as never, ctx as never), 80);
});
