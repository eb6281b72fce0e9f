import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { type TestApp, testApp } from '../../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
}, 60_000);
afterAll(() => app.close());

/** Candidates by name of a company, in both APIs. */
async function candidatesOf(identifier: string, name: string) {
  const { body } = await app.post('/v1/sanctions', { identifier, country: 'BR', name });
  const { body: graph } = await app.query(
    'query ($id: String!, $name: String!) { company(identifier: $id) { sanctions { possibleMatches(name: $name) { entityId matchedById } } } }',
    { id: identifier, name },
  );
  return { rest: body.possible_matches, graph: graph.data.company.sanctions.possibleMatches };
}

describe('a candidate by name', () => {
  it('says that the tax id has decided already, where the party has the tax id of the company', async () => {
    const listed = companyByScenario('sanctioned');
    const { rest, graph } = await candidatesOf(listed.cnpj, listed.name);
    expect(rest).toMatchObject([{ decision: 'match', matched_by_tax_id: true }]);
    expect(graph).toEqual([{ entityId: rest[0].uid, matchedById: true }]);
  });

  it('says no such thing of a company with the name alone', async () => {
    const { rest, graph } = await candidatesOf(companyByScenario('clean').cnpj, companyByScenario('sanctioned').name);
    expect(rest).toMatchObject([{ decision: 'match', matched_by_tax_id: false }]);
    expect(graph).toEqual([{ entityId: rest[0].uid, matchedById: false }]);
  });
});
