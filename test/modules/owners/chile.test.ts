import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { chileanByScenario } from '../../../sandbox/world/chile/world.ts';
import type { TestApp } from '../../support/app.ts';
import { appWithChile } from '../tax-health/chile.ts';

let app: TestApp;
beforeAll(async () => {
  app = await appWithChile();
}, 120_000);
afterEach(() => app.sandbox?.faults.clear());
afterAll(() => app.close());

const rut = (scenario: string) => chileanByScenario(scenario).rut;
/** A company that the list of names lacks. */
const FOREIGN = '599000909';
const published = expect.stringMatching(/^\d{4}-11-25$/);
const share = (percent: string | null) => ({
  percent,
  basis: percent === null ? 'NOT_DECLARED' : 'DECLARED',
  asOf: published,
  source: 'CL_OWNERSHIP',
});

const COMPOSITION = 'composition { status naturalPersonsShare hasNaturalPersons complete }';
const FIELDS = `companyName companyKnown partnersPublished count source ${COMPOSITION}
  owners { name role entityType identifier share { percent basis asOf source } company { country identifier } } freshness { dataAsOf }`;

async function ownersOf(scenario: string, key?: string) {
  const { body } = await app.query(`{ company(identifier: "${rut(scenario)}", country: CL) { owners { ${FIELDS} } } }`, {}, key);
  return { errors: body.errors, cost: body.extensions?.cost, owners: body.data?.company.owners };
}

describe('Company.owners of a Chilean company', () => {
  it('has companies with their shares, and all people as one owner without a name', async () => {
    const { errors, owners, cost } = await ownersOf('cl-medium');
    expect(errors).toBeUndefined();
    const company = (scenario: string) => ({
      name: chileanByScenario(scenario).name,
      role: 'Socio',
      entityType: 'COMPANY',
      identifier: rut(scenario),
      share: share('33.33'),
      company: { country: 'CL', identifier: rut(scenario) },
    });
    expect(owners).toEqual({
      companyName: chileanByScenario('cl-medium').name,
      companyKnown: true,
      partnersPublished: true,
      count: 3,
      source: 'CL_OWNERSHIP',
      composition: { status: 'PUBLISHED', naturalPersonsShare: '33.34', hasNaturalPersons: true, complete: true },
      owners: [
        company('cl-crowd-1'),
        company('cl-crowd-3'),
        { name: '', role: 'Socio', entityType: 'NATURAL_PERSONS', identifier: null, share: share('33.34'), company: null },
      ],
      freshness: { dataAsOf: published },
    });
    expect(cost.counted).toEqual({ OWNERS: 1 });
  });

  it('has a company without a name in the registry by its RUT', async () => {
    const { owners } = await ownersOf('cl-large');
    expect(owners.owners[1]).toMatchObject({ name: '59.900.090-9', identifier: FOREIGN, share: share('29.5') });
    expect(owners.composition).toMatchObject({ hasNaturalPersons: false, naturalPersonsShare: null, complete: true });
  });

  it('has blank shares as unknown, and adds the shares of an owner with several rows', async () => {
    const debtor = (await ownersOf('cl-debtor')).owners;
    expect(debtor.owners.map((one: { share: object }) => one.share)).toEqual([share(null), share(null)]);
    expect(debtor.composition).toMatchObject({ naturalPersonsShare: null, hasNaturalPersons: true, complete: false });
    const supplier = (await ownersOf('cl-supplier')).owners;
    expect(supplier.owners.map((one: { share: { percent: string } }) => one.share.percent)).toEqual(['80', '30']);
    expect(supplier.composition).toMatchObject({ status: 'PUBLISHED', complete: false });
  });

  it.each(['cl-municipality', 'cl-new'])('says of %s that no owners are published, and not that it has none', async (scenario) => {
    const { owners } = await ownersOf(scenario);
    expect(owners).toMatchObject({ companyKnown: true, partnersPublished: false, count: 0, owners: [] });
    expect(owners.composition).toEqual({ status: 'NOT_PUBLISHED', naturalPersonsShare: null, hasNaturalPersons: null, complete: null });
  });

  it('is not counted for a company that nobody knows', async () => {
    const { owners, cost } = await ownersOf('cl-unknown');
    expect(owners).toMatchObject({ companyKnown: false, companyName: null, owners: [] });
    expect(cost.counted).toEqual({});
  });

  it('has owners by their RUT while the registry of names fails, and fails for a company that only the registry may know', async () => {
    await app.db.raw('ALTER TABLE sii_companies RENAME TO sii_companies_away');
    try {
      const { owners } = await ownersOf('cl-shop');
      expect(owners).toMatchObject({ companyName: null, companyKnown: true, owners: [{ identifier: rut('cl-agency') }, { name: '' }] });
      expect((await ownersOf('cl-unnoticed')).errors).toMatchObject([{ extensions: { code: 'SOURCE_UNAVAILABLE' } }]);
    } finally {
      await app.db.raw('ALTER TABLE sii_companies_away RENAME TO sii_companies');
    }
  });

  it('is a failed source while the file cannot be read, and never an empty list', async () => {
    await app.db.raw('ALTER TABLE cl_ownership_rows RENAME TO cl_ownership_away');
    try {
      const { owners, errors } = await ownersOf('cl-accents');
      expect(owners).toBeNull();
      expect(errors).toMatchObject([{ extensions: { code: 'SOURCE_UNAVAILABLE' } }]);
    } finally {
      await app.db.raw('ALTER TABLE cl_ownership_away RENAME TO cl_ownership_rows');
    }
  });

  it('leaves POST /v1/owners to Brazil, as the contract has it', async () => {
    const { status, body } = await app.post('/v1/owners', { identifier: rut('cl-medium'), country: 'CL' });
    expect([status, body.code]).toEqual([422, 'unsupported_country']);
  });
});

describe('Owner.screening of a Chilean company', () => {
  it('compares companies with the sanctions lists, never the people, and no list of Brazil', async () => {
    const query = `{ company(identifier: "${rut('cl-large')}", country: CL) { owners { owners {
      entityType identifier screening { candidates { list } listsChecked listsNotChecked { list reason } } } } } }`;
    const { body } = await app.query(query);
    expect(body.errors).toBeUndefined();
    const [named, unnamed] = body.data.company.owners.owners;
    expect(named.screening).toMatchObject({ candidates: [], listsChecked: ['OFAC_SDN', 'UN_CONSOLIDATED'] });
    expect(new Set(named.screening.listsNotChecked.map(({ reason }: { reason: string }) => reason))).toEqual(new Set(['NO_TAX_ID']));
    expect(unnamed.identifier).toBe(FOREIGN);
    expect(unnamed.screening.listsNotChecked).toContainEqual({ list: 'OFAC_SDN', reason: 'NO_NAME' });
    const people = await app.query(
      `{ company(identifier: "${rut('cl-clean')}", country: CL) { owners { owners { entityType screening { listsChecked } identity { name } otherCompanies { companyKnown } } } } }`,
    );
    expect(people.body.errors).toBeUndefined();
    expect(people.body.data.company.owners.owners).toEqual([
      { entityType: 'NATURAL_PERSONS', screening: null, identity: null, otherCompanies: null },
    ]);
  });
});
