import { afterAll, beforeAll, expect, it } from 'vitest';
import { chileanByScenario } from '../../../sandbox/world/chile/world.ts';
import type { TestApp } from '../../support/app.ts';
import { appWithChile } from '../tax-health/chile.ts';

const OWNED = 99;
const owner = chileanByScenario('cl-crowd-2').rut;

let app: TestApp;
beforeAll(async () => {
  // No time passes, so no points come back.
  const startedAt = Date.now();
  app = await appWithChile({ now: () => startedAt });
  await app.db.raw(
    `INSERT INTO cl_ownership_rows (version_id, society, kind, partner, share)
     SELECT (SELECT max(version_id) FROM cl_ownership_rows), 77900000 + n, 0, ?, 100 FROM generate_series(1, ?) AS n`,
    [Number(owner.slice(0, -1)), OWNED],
  );
}, 120_000);
afterAll(() => app.close());

const costOf = async (query: string) => (await app.query(query)).body.extensions.cost;
const remaining = async (): Promise<number> => (await costOf('{ __typename }')).remaining;
const ofOwner = (fields: string): string => `{ company(identifier: "${owner}", country: CL) { ${fields} } }`;

it.each([
  ['a group', 'group(direction: DOWN) { nodes { company { monitors(first: 1) { nodes { id } } } } }'],
  ['two groups', 'a: group(direction: DOWN) { nodes { company { monitors(first: 1) { nodes { id } } } } } b: group { complete }'],
])('%s: what is charged beyond the price is what the answer states as its cost', async (_, fields) => {
  const before = await remaining();
  const { requested, actual } = await costOf(ofOwner(fields));
  expect(actual).toBeGreaterThan(requested);
  expect(before - (await remaining())).toBe(actual + 1);
});

it('an answer that cost less is charged its price, which is that of the largest group', async () => {
  const before = await remaining();
  const { requested, actual } = await costOf(ofOwner('group(direction: DOWN) { complete }'));
  expect([requested, actual]).toEqual([52, 13]);
  expect(before - (await remaining())).toBe(requested + 1);
});
