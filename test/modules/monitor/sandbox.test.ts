import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companies } from '../../../sandbox/world/brazil/world.ts';
import { chileanByScenario, chileanCompanies } from '../../../sandbox/world/chile/world.ts';
import { DEBARMENT_LISTS } from '../../../src/modules/debarment/domain.ts';
import { LABOR_LISTS } from '../../../src/modules/labor/domain.ts';
import { monitorService } from '../../../src/modules/monitor/service/monitor.ts';
import { quarantine } from '../../../src/modules/monitor/store/held-changes.ts';
import { SANCTIONS_LISTS } from '../../../src/modules/sanctions/domain.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { call, order, PATH, subscribe } from './api-requests.ts';
import { brazilian, watch } from './support.ts';

const NEVER = new AbortController().signal;
let app: TestApp;
const sql: string[] = [];
beforeAll(async () => {
  app = await testApp();
  app.db.on('query', ({ sql: text }: { sql: string }) => sql.push(text));
});
afterAll(() => app.close());

interface Row {
  readonly tax_id: string;
  readonly snapshot: { readonly status: string; readonly size: string | null; readonly activity: string | null };
}
const snapshots = (country: string): Promise<readonly Row[]> => app.db('watched_companies').where({ country }).orderBy('tax_id');

describe('the companies of the sandbox', () => {
  it.each([
    ['BR', companies.map(({ cnpj }) => cnpj)],
    ['CL', chileanCompanies.map(({ rut }) => rut)],
  ] as const)('have the same values in monitoring as in the checks of callers: %s', async (country, ids) => {
    await watch(
      app.db,
      ids.map((taxId) => ({ country, taxId })),
    );
    await app.open(monitorService).checks.check(country, NEVER);
    const seen = await snapshots(country);
    expect(seen.map(({ tax_id }) => tax_id)).toEqual([...ids].sort());
    const query = `query ($ids: [String!]!) { companies(identifiers: $ids, country: ${country}) {
      kyb { status } profile { size activity activityCode } } }`;
    const { body } = await app.query(query, { ids: seen.map(({ tax_id }) => tax_id) });
    expect(seen.map(({ snapshot }) => [snapshot.status.toUpperCase(), snapshot.size?.toUpperCase() ?? null, snapshot.activity])).toEqual(
      body.data.companies.map(({ kyb, profile }: CheckAnswer) => [
        kyb.status,
        profile?.size ?? null,
        profile?.activity ?? profile?.activityCode ?? null,
      ]),
    );
  });

  it('of Chile need one SQL statement per batch on the registry, on the file of owners, and for the names of owners', async () => {
    await app.db('watched_companies').update({ due_at: new Date() });
    sql.length = 0;
    await app.open(monitorService).checks.check('CL', NEVER);
    expect(sql.filter((text) => text.includes('sii_companies'))).toHaveLength(2);
    expect(sql.filter((text) => text.includes('cl_ownership_rows'))).toHaveLength(1);
  });

  it('have their lists compared when their baseline is taken', async () => {
    const { listings } = await app.db('watched_companies').where({ country: 'BR' }).first();
    expect(Object.keys(listings).sort()).toEqual([...DEBARMENT_LISTS, ...LABOR_LISTS, ...SANCTIONS_LISTS].sort());
  });
});

interface CheckAnswer {
  readonly kyb: { readonly status: string };
  readonly profile: { readonly size: string; readonly activity: string | null; readonly activityCode: string | null } | null;
}

describe('the number of held changes', () => {
  const chilean = { country: 'CL', taxId: chileanByScenario('cl-clean').rut } as const;
  const hold = () => {
    const observed = { status: 'not_found', size: null, activity: null } as const;
    const fields = [{ field: 'status', from: 'active', to: 'not_found' }] as const;
    return quarantine(app.db, [{ change: { company: chilean, source: 'sii', fields, observed }, reason: 'blank', since: Date.now() }]);
  };
  const discard = () => app.open(monitorService).quarantine.discard({ companies: [chilean, brazilian('99010001000100')] });

  it('is a field of each source', async () => {
    await hold();
    const { body } = await app.query('{ sources { name heldChanges } }');
    const held = body.data.sources.filter(({ heldChanges }: { heldChanges: number }) => heldChanges > 0);
    expect(held).toEqual([{ name: 'SII', heldChanges: 1 }]);
    expect((await app.sources.report()).find(({ name }) => name === 'receita_federal')?.extras.heldChanges).toBe(0);
    expect(await discard()).toBe(1);
  });

  it('is a field of each monitor, of its own companies only, and 0 once it is cancelled', async () => {
    await subscribe(app);
    const created = await app.post(PATH, order({ identifiers: [chilean.taxId], country: 'CL' }));
    await hold();
    const { body } = await app.query('{ monitors { nodes { id country heldChanges } } }');
    const numbers = body.data.monitors.nodes.map((node: { country: string; heldChanges: number }) => [node.country, node.heldChanges]);
    expect(new Set(numbers.map(String))).toEqual(new Set(['CL,1', 'BR,0']));
    const repeated = await app.post(PATH, order({ identifiers: [chilean.taxId], country: 'CL' }));
    expect([created.body.held_changes, repeated.body.held_changes]).toEqual([0, 1]);
    const { body: listed } = await call(app, 'GET', PATH);
    expect(listed.subscriptions[0]).toMatchObject({ country: 'CL', held_changes: 1 });
    await call(app, 'DELETE', `${PATH}/${created.body.subscription_id}`);
    expect((await call(app, 'GET', `${PATH}/${created.body.subscription_id}`)).body).toMatchObject({
      status: 'cancelled',
      held_changes: 0,
    });
    expect(await discard()).toBe(1);
  });

  it('is that of a list of them, with the values, the reason and the time, for keys that watch the companies', async () => {
    const created = await app.post(PATH, order({ identifiers: [chilean.taxId], country: 'CL' }));
    const before = Date.now();
    await hold();
    const query = `query ($first: Int, $after: String) { heldChanges(first: $first, after: $after) {
      nodes { id company { identifier } source reason changedFields { field from to } heldAt confirmableAt } pageInfo { hasNextPage endCursor } } }`;
    const { heldChanges } = (await app.query(query)).body.data;
    expect(heldChanges.nodes).toEqual([
      {
        id: `CL/${chilean.taxId}/sii`,
        company: { identifier: chilean.taxId },
        source: 'SII',
        reason: 'BLANK',
        changedFields: [{ field: 'STATUS', from: 'ACTIVE', to: 'NOT_FOUND' }],
        heldAt: expect.any(String),
        confirmableAt: expect.any(String),
      },
    ]);
    const [{ heldAt, confirmableAt }] = heldChanges.nodes;
    expect(Date.parse(heldAt)).toBeGreaterThanOrEqual(Math.floor(before / 1_000) * 1_000);
    expect(Date.parse(confirmableAt) - Date.parse(heldAt)).toBe(3_600_000);
    const { body } = await app.query(query, { first: 1, after: heldChanges.pageInfo.endCursor });
    expect(body.data.heldChanges).toMatchObject({ nodes: [], pageInfo: { hasNextPage: false } });
    expect((await app.query(query, { after: 'x' })).body.errors[0].extensions.code).toBe('INVALID_INPUT');
    expect((await app.query(query, {}, await app.keyFor('monitor'))).body.data.heldChanges.nodes).toEqual([]);
    expect((await app.query(query, {}, await app.keyFor('kyb'))).body.errors[0].extensions.code).toBe('MODULE_NOT_ENABLED');
    await call(app, 'DELETE', `${PATH}/${created.body.subscription_id}`);
    expect(await discard()).toBe(1);
  });
});
