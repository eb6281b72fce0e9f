import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../../../sandbox/world/chile/world.ts';
import type { TestApp } from '../../support/app.ts';
import { appWithFaults } from '../../support/app-with-faults.ts';

const { rut } = chileanByScenario('cl-debtor');

describe('a Chilean tax registry that cannot be read', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await appWithFaults({ sii: 'down' });
  });
  afterAll(() => app.close());

  it.each(['/v1/kyb', '/v1/tax-health'])('UP-03 makes %s 503, never not_found, and says when to come back', async (path) => {
    const { status, body, headers } = await app.post(path, { identifier: rut, country: 'CL' });
    expect([status, body.code]).toEqual([503, 'source_unavailable']);
    expect(Number(headers['retry-after'])).toBeGreaterThan(0);
  });

  it('UP-03 is null beside an error in GraphQL, independent of the list of debtors', async () => {
    const { body } = await app.query(`{ company(identifier: "${rut}") { identifier kyb { status } taxHealth { status } } }`);
    expect(body.data.company).toEqual({ identifier: rut, kyb: null, taxHealth: null });
    const error = { extensions: { code: 'SOURCE_UNAVAILABLE', source: 'SII', retryAfterSeconds: expect.any(Number) } };
    expect(body.errors).toMatchObject([error, error]);
  });

  it('does not change Brazil', async () => {
    const { status, body } = await app.post('/v1/kyb', { identifier: companyByScenario('clean').cnpj, country: 'BR' });
    expect([status, body.status]).toEqual([200, 'active']);
  });
});
