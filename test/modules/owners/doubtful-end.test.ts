import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chileanByScenario } from '../../../sandbox/world/chile/world.ts';
import { numberOfRut } from '../../../src/domain/tax-id.ts';
import { END_OF_RUTS } from '../../../src/sources/sii/row.ts';
import type { TestApp } from '../../support/app.ts';
import { call } from '../monitor/api-requests.ts';
import { appWithChile } from '../tax-health/chile.ts';

const company = chileanByScenario('cl-medium');
const owner = chileanByScenario('cl-crowd-1');

/** Chile's companies, in whose registry a row that cannot be read may state the end of two that it has. */
let app: TestApp;
beforeAll(async () => {
  app = await appWithChile();
  for (const { rut } of [company, owner])
    await app.db.raw(`INSERT INTO sii_companies (version_id, rut, name) SELECT version_id, ?, '' FROM sii_companies WHERE rut = ?`, [
      numberOfRut(rut) + END_OF_RUTS,
      numberOfRut(rut),
    ]);
}, 120_000);
afterAll(() => app.close());

const ask = async (fields: string) => {
  const { body } = await app.query(`{ company(identifier: "${company.rut}", country: CL) { ${fields} } }`);
  return { errors: body.errors, answer: body.data?.company };
};

describe('a Chilean company whose end is in doubt', () => {
  it.each(['kyb { status }', 'registration { status }', 'taxHealth { status }', 'profile { status }'])(
    'has no %s: the source is unavailable',
    async (fields) => {
      const { errors, answer } = await ask(fields);
      expect(errors).toMatchObject([{ extensions: { code: 'SOURCE_UNAVAILABLE' } }]);
      expect(Object.values(answer)).toEqual([null]);
    },
  );

  it('has its name in the list of owners, which is compared with the sanctions lists', async () => {
    const { errors, answer } = await ask('owners { companyName companyKnown owners { name screening { listsChecked } } }');
    expect(errors).toBeUndefined();
    expect(answer.owners).toMatchObject({ companyName: company.name, companyKnown: true });
    expect(answer.owners.owners[0]).toMatchObject({ name: owner.name, screening: { listsChecked: ['OFAC_SDN', 'UN_CONSOLIDATED'] } });
  });

  it('has its name and no status among the companies of its owner', async () => {
    const { status, body } = await call(app, 'GET', `/v1/companies/CL/${owner.rut}/holdings`);
    expect(status).toBe(200);
    const one = body.holdings.find(({ identifier }: { identifier: string }) => identifier === company.rut);
    expect(one).toMatchObject({ company_name: company.name, status: null });
  });

  it('is compared by its name', async () => {
    const { errors, answer } = await ask('sanctions { possibleMatches { list } }');
    expect(errors).toBeUndefined();
    expect(answer.sanctions.possibleMatches).toEqual([]);
  });

  it('is the owner of its domain', async () => {
    const { body } = await app.query(`{ domainOwner(domain: "${company.domain}") { company { identifier } confidence } }`);
    expect(body.data?.domainOwner).toMatchObject({ company: { identifier: company.rut }, confidence: 0.95 });
  });
});
