import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { compositionRows } from '../../../sandbox/upstreams/cl-ownership.ts';
import { chileanByScenario } from '../../../sandbox/world/chile/world.ts';
import { clOwnership } from '../../../src/sources/cl-ownership/source.ts';
import { fileOf, onDisk } from '../../sources/cl-ownership/support.ts';
import type { TestApp } from '../../support/app.ts';
import { call } from '../monitor/api-requests.ts';
import { appWithChile } from '../tax-health/chile.ts';

const rut = (scenario: string): string => chileanByScenario(scenario).rut;

let app: TestApp;
beforeAll(async () => {
  app = await appWithChile();
}, 120_000);
afterAll(() => app.close());

/** Loads the file of owners with another text as share in all rows of a company. */
beforeEach(async () => {
  const isOfMedium = (row: string): boolean => row.startsWith(`${rut('cl-medium').slice(0, -1)};`);
  const rows = compositionRows.map((row) => (isOfMedium(row) ? row.replace(/;[^;]*$/, ';10183') : row));
  expect(await app.sources.use(clOwnership).sync({ files: [await onDisk(fileOf(rows))], force: true })).toMatchObject({
    outcome: expect.any(String),
  });
});

describe('a Chilean share that is no percentage', () => {
  it('has its text in GraphQL', async () => {
    const fields = 'owners { owners { share { percent basis declaredText } } }';
    const { body } = await app.query(`{ company(identifier: "${rut('cl-medium')}", country: CL) { ${fields} } }`);
    const owners: readonly { readonly share: object }[] = body.data?.company.owners.owners;
    expect(owners.length).toBeGreaterThan(1);
    for (const owner of owners) expect(owner.share).toEqual({ percent: null, basis: 'NOT_DECLARED', declaredText: '10183' });
  });

  it('has its text in REST, which a blank one has not', async () => {
    const { body } = await call(app, 'GET', `/v1/companies/CL/${rut('cl-crowd-3')}/holdings`);
    const shares = new Map(body.holdings.map((one: { identifier: string; share: object }) => [one.identifier, one.share]));
    expect(shares.get(rut('cl-medium'))).toMatchObject({ percent: null, basis: 'not_declared', declared_text: '10183' });
    expect(shares.get(rut('cl-debtor'))).not.toHaveProperty('declared_text');
  });
});
