import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.ts';
import { data, publishChanges, stranger, subscribe } from './api-requests.ts';
import { cnpj } from './support.ts';

const hundred = Array.from({ length: 100 }, (_, i) => cnpj(i));

let app: TestApp;
let other: string;
const sql: string[] = [];
beforeAll(async () => {
  app = await testApp();
  other = await stranger(app);
  for (const identifiers of [hundred, hundred.slice(0, 50), hundred.slice(50)]) await subscribe(app, { identifiers });
  await subscribe(app, { identifiers: hundred.slice(0, 10) }, other);
  await publishChanges(app, hundred);
  await publishChanges(app, hundred.slice(0, 30), { fields: [{ field: 'activity', from: 'a', to: 'b' }] });
  app.db.on('query', ({ sql: text }: { sql: string }) => sql.push(text));
});
afterAll(() => app.close());

/** Statements on the tables of monitoring while `work` runs. */
async function counted<T>(work: () => Promise<T>) {
  sql.length = 0;
  const result = await work();
  return { result, statements: sql.filter((text) => /\b(monitors|changes|deliveries|delivery_attempts) [mcda]\b/.test(text)).length };
}

const NESTED = `query ($ids: [String!]!) { companies(identifiers: $ids) { identifier
  monitors { nodes { id companies(first: 3) { nodes { identifier } } } }
  changes(first: 3) { nodes { id monitor { id } deliveries { id attempts { number } monitor { id } change { id } } } } } }`;

describe('a query for many companies with the changes and deliveries of their monitors', () => {
  it('GQ-11 runs seven SQL statements for 100 companies', async () => {
    const { result, statements } = await counted(() => data(app, NESTED, { ids: hundred }));
    const { companies } = result;
    expect(companies.map(({ changes }: { changes: { nodes: unknown[] } }) => changes.nodes.length)).toEqual(
      hundred.map((_, i) => (i < 30 ? 3 : 2)),
    );
    expect(companies.every(({ monitors }: { monitors: { nodes: unknown[] } }) => monitors.nodes.length === 2)).toBe(true);
    // Company.monitors, Monitor.companies, Company.changes, Change.monitor, Change.deliveries, Delivery.attempts, Delivery.change;
    // Delivery.monitor is already loaded by Change.monitor.
    expect(statements).toBe(7);
  });

  it('reads the tax ids of monitors only if they are selected, and then in one statement', async () => {
    const reads = async (selected: string) => {
      const { result } = await counted(() => data(app, `{ monitors { nodes { ${selected} } } }`));
      return { nodes: result.monitors.nodes, statements: sql.filter((text) => /\bSELECT identifier\b/.test(text)).length };
    };
    expect((await reads('id country heldChanges')).statements).toBe(0);
    const { nodes, statements } = await reads('id identifiers');
    expect([nodes.map(({ identifiers }: { identifiers: unknown[] }) => identifiers.length), statements]).toEqual([[50, 50, 100], 1]);
  });

  it('GQ-11 returns to each of two keys only its own data when both query at the same time', async () => {
    const query =
      'query ($ids: [String!]!) { companies(identifiers: $ids) { monitors { nodes { id } } changes { nodes { id monitor { id } } } } }';
    const ask = (key: string) => data(app, query, { ids: hundred.slice(0, 10) }, key);
    const alone = [await ask(app.key), await ask(other)];
    const together = await Promise.all(Array.from({ length: 60 }, (_, i) => ask(i % 2 === 0 ? app.key : other)));
    expect(together).toEqual(together.map((_, i) => alone[i % 2]));
    const [mine, theirs] = alone.map(({ companies }) => new Set(JSON.stringify(companies).match(/(?:mon|evt)_\w+/g)));
    expect([mine?.size, theirs?.size]).toEqual([2 + 40, 1 + 20]);
    expect([...(mine ?? [])].filter((id) => theirs?.has(id))).toEqual([]);
  });
});
