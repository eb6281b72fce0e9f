import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../../../sandbox/world/chile/world.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { appWithFaults } from '../../support/app-with-faults.ts';

const QUERY = `query ($id: String!, $country: Country) { company(identifier: $id, country: $country) { compliance {
  riskLevel ownersToReview { total byTaxId notCompared owners } } } }`;
const LISTED = companyByScenario('owners-listed').cnpj;

describe('the owners to review of a consolidated check', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await testApp();
  });
  afterAll(() => app.close());

  const reviewOf = async (id: string, country = 'BR', key?: string) => (await app.query(QUERY, { id, country }, key)).body;

  it('are those with a candidate, and of them those who are listed by tax id; they change no level and count nothing more', async () => {
    const key = await app.keyFor('compliance_br');
    const { data, errors, extensions } = await reviewOf(LISTED, 'BR', key);
    expect(errors).toBeUndefined();
    expect(data.company.compliance).toEqual({
      riskLevel: 'LOW',
      ownersToReview: { total: 11, byTaxId: 4, notCompared: 0, owners: 13 },
    });
    expect(extensions.cost.counted).toEqual({ COMPLIANCE_BR: 1 });
  });

  it('read each list once for all companies of a query', async () => {
    const ids = ['owners-listed', 'clean', 'owners-no-representative'].map((scenario) => companyByScenario(scenario).cnpj);
    const query = `query ($ids: [String!]!) { companies(identifiers: $ids) { compliance { ownersToReview { total owners } } } }`;
    const { body } = await app.query(query, { ids });
    const [listed, clean, foreign] = body.data.companies.map(
      (one: { compliance: { ownersToReview: object } }) => one.compliance.ownersToReview,
    );
    expect(listed).toEqual({ total: 11, owners: 13 });
    expect(clean).toMatchObject({ total: 0 });
    expect(foreign).toEqual({ total: 1, owners: 2 });
  });

  it('are fewer after the account has dismissed the only candidate of an owner', async () => {
    const owners = `query ($id: String!) { company(identifier: $id) { compliance { checks { owners { owners { id screening { candidates { list entityId } } } } } } } }`;
    const { body } = await app.query(owners, { id: LISTED });
    const all: readonly { id: string; screening: { candidates: readonly object[] } }[] = body.data.company.compliance.checks.owners.owners;
    const owner = all.find(({ screening }) => screening.candidates.length === 1);
    const input = { identifier: LISTED, ownerId: owner?.id, ...owner?.screening.candidates[0], reason: 'Another party.' };
    const dismissed = await app.query('mutation ($input: DismissMatchInput!) { dismissMatch(input: $input) { dismissedMatch { id } } }', {
      input,
    });
    expect(dismissed.body.errors).toBeUndefined();
    expect((await reviewOf(LISTED)).data.company.compliance.ownersToReview).toMatchObject({ total: 10, owners: 13 });
  });

  it('leave out the natural persons of a Chilean company, who have no name', async () => {
    const { data, errors } = await reviewOf(chileanByScenario('cl-medium').rut, 'CL');
    expect([data.company.compliance.ownersToReview, errors]).toEqual([{ total: 0, byTaxId: 0, notCompared: 0, owners: 2 }, undefined]);
  });
});

describe('the owners to review, while sources fail', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await appWithFaults({ OFAC_SDN: 'status_500' });
  }, 120_000);
  afterAll(() => app.close());

  it('say for how many owners a list could not be read, which is no clearance', async () => {
    const { body } = await app.query(QUERY, { id: LISTED, country: 'BR' });
    const { total, notCompared, owners } = body.data.company.compliance.ownersToReview;
    expect(owners).toBe(13);
    expect(notCompared).toBeGreaterThan(0);
    expect(total + notCompared).toBe(13);
  });
});
