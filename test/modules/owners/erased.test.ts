import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { eraseFromCopy } from '../../../src/sources/receita-federal/copy/erase.ts';
import { insertSuppression } from '../../../src/sources/receita-federal/copy/store/suppressions.ts';
import type { Suppressed } from '../../../src/sources/receita-federal/copy/suppression.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { COPY_MODE, loadSandboxCopy } from '../../support/registry-copy.ts';
import { call } from '../monitor/api-requests.ts';

const cnpj = (scenario: string): string => companyByScenario(scenario).cnpj;
const REASON = 'Records that the operator has erased are missing.';

async function appWithout(one: Suppressed): Promise<TestApp> {
  const app = await testApp({ env: COPY_MODE });
  await loadSandboxCopy(app);
  const entry = { hash: '0'.repeat(32), kind: one.kind, note: null, createdAt: Date.now() };
  await eraseFromCopy({ db: app.db, origin: 'sandbox' }, one, async () => {
    await insertSuppression(app.db, entry);
  });
  return app;
}

const GRAPH = 'complete nodes { company { identifier } } notSeen { reason count }';
const LIST = 'nodes { company { identifier } } companyKnown completeness reason';
const company = async (app: TestApp, scenario: string, fields: string) => {
  const { body } = await app.query(`{ company(identifier: "${cnpj(scenario)}", country: BR) { ${fields} } }`);
  return { found: body.data?.company, codes: body.errors?.map(({ extensions }: { extensions: { code: string } }) => extensions.code) };
};
const connection = async (app: TestApp, from: string, to: string, people = false) => {
  const side = (scenario: string) => `{ identifier: "${cnpj(scenario)}", country: BR }`;
  const query = `{ connection(from: ${side(from)}, to: ${side(to)}, people: ${people}) { status fromKnown reason } }`;
  const { body } = await app.query(query);
  return { path: body.data?.connection, code: body.errors?.[0]?.extensions.code };
};

describe('CG-06 a company that the operator has erased', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await appWithout({ kind: 'company', root: cnpj('group-middle').slice(0, 8) });
  }, 120_000);
  afterAll(() => app.close());

  it.each([
    ['history', 'history { nodes { id } }'],
    ['branches', `branches { ${LIST.replace('nodes { company { identifier } }', 'nodes { status }')} }`],
    ['owns', `owns { ${LIST} }`],
    ['group', `group(direction: DOWN) { ${GRAPH} }`],
    ['group', `group { ${GRAPH} }`],
    ['groupFindings', 'groupFindings(direction: DOWN) { companiesChecked }'],
  ])('is a failed source and never absent: %s', async (_, field) => {
    expect((await company(app, 'group-middle', field)).codes).toEqual(['SOURCE_UNAVAILABLE']);
  });

  it('is a failed source at both ends of a connection', async () => {
    expect(await connection(app, 'group-middle', 'clean')).toMatchObject({ path: null, code: 'SOURCE_UNAVAILABLE' });
    expect(await connection(app, 'clean', 'group-middle')).toMatchObject({ path: null, code: 'SOURCE_UNAVAILABLE' });
  });

  it('is 503 by REST', async () => {
    const path = `/v1/companies/BR/${cnpj('group-middle')}`;
    for (const list of ['holdings', 'branches', 'history']) expect((await call(app, 'GET', `${path}/${list}`)).status).toBe(503);
    const request = { identifier: cnpj('group-middle'), country: 'BR', direction: 'down' };
    expect((await app.post('/v1/group', request)).status).toBe(503);
  });

  it('makes the answers that would name it incomplete', async () => {
    const { found } = await company(app, 'debarred-both', `group(direction: DOWN) { ${GRAPH} } owns { ${LIST} }`);
    expect(found.group).toEqual({
      complete: false,
      nodes: [{ company: { identifier: cnpj('debarred-both') } }],
      notSeen: [{ reason: 'ERASED_ROWS', count: 0 }],
    });
    expect(found.owns).toEqual({ nodes: [], companyKnown: true, completeness: 'PARTIAL', reason: REASON });
    expect((await connection(app, 'group-leaf', 'debarred-both')).path).toMatchObject({ status: 'NONE_WITHIN_LIMITS', reason: REASON });
  });

  it('limits a search that finds every other company', async () => {
    const { body } = await app.query(
      '{ searchCompanies(name: "padaria lua de papel", country: BR) { nodes { name } isTruncated limitedBy } }',
    );
    expect(body.data.searchCompanies).toMatchObject({ isTruncated: true, limitedBy: 'UNREAD_ROWS' });
    expect(body.data.searchCompanies.nodes).toHaveLength(2);
  });
});

describe('CG-06 a person whom the operator has erased', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await appWithout({ kind: 'person', name: 'ELISA PEREIRA ALHURES', document: '***000082**' });
  }, 120_000);
  afterAll(() => app.close());

  it('makes answers about people incomplete, and those about companies not', async () => {
    expect((await connection(app, 'clean', 'group-leaf', true)).path.reason).toBe(REASON);
    expect((await connection(app, 'clean', 'group-leaf', false)).path.reason).toBeNull();
    const { found } = await company(app, 'debarred-both', `group(direction: DOWN) { ${GRAPH} } owns { ${LIST} }`);
    expect(found).toMatchObject({ group: { complete: true, notSeen: [] }, owns: { completeness: 'COMPLETE' } });
  });
});
