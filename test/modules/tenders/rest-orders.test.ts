import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../../../sandbox/world/chile/world.ts';
import { colombianByScenario } from '../../../sandbox/world/colombia.ts';
import { formatRut } from '../../../src/domain/tax-id.ts';
import type { TestApp } from '../../support/app.ts';
import { appWithFaults } from '../../support/app-with-faults.ts';
import { tendersApp } from './core-app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await tendersApp();
}, 120_000);
afterAll(() => app.close());

const CL = chileanByScenario('cl-supplier');
const BR = companyByScenario('clean-software');
const CO = colombianByScenario('co-supplier');
const orders = (body: unknown, key?: string) => app.post('/v1/tenders', body, key);

const expectRefused = (answer: Awaited<ReturnType<typeof orders>>, code: string, field?: string) => {
  expect([answer.status, answer.body.code]).toEqual([422, code]);
  if (field) expect(answer.body.errors).toMatchObject([{ field }]);
};

describe('POST /v1/tenders', () => {
  it.each([
    ['CL', CL.rut, 'mercadopublico'],
    ['BR', BR.cnpj, 'pncp'],
    ['CO', CO.nit, 'secopii'],
  ])('returns every field of the specification for %s', async (country, taxId, source) => {
    const { status, body } = await orders({ identifier: taxId, country });
    expect(status).toBe(200);
    const { orders: listed, ...rest } = body;
    expect(rest).toEqual({
      rut: taxId,
      identifier: taxId,
      country,
      total_orders: listed.length,
      source,
      attribution: expect.stringMatching(/\.$/),
      coverage: expect.stringMatching(/\.$/),
      data_as_of: country === 'CO' ? null : expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    });
    expect(listed.length).toBeGreaterThan(20);
    for (const order of listed) {
      expect(order).toEqual({ code: expect.stringMatching(/./), name: expect.any(String), status: expect.stringMatching(/./) });
    }
    expect(new Set(listed.map(({ code }: { code: string }) => code)).size).toBe(listed.length);
  });

  it('uses Chile by default, accepts `rut` as the identifier, and returns its spelling', async () => {
    const { status, body } = await orders({ rut: `  ${formatRut(CL.rut)} ` });
    expect([status, body.rut, body.identifier, body.country, body.source]).toEqual([
      200,
      formatRut(CL.rut),
      formatRut(CL.rut),
      'CL',
      'mercadopublico',
    ]);
    expect((await orders({ identifier: CL.rut, rut: 'not looked at', domain: null, country: null })).body.total_orders).toBe(
      body.total_orders,
    );
  });

  it('returns the orders of all branches for the CNPJ of a branch', async () => {
    const whole = await orders({ identifier: companyByScenario('clean-sa-open').cnpj, country: 'BR' });
    const branch = await orders({ identifier: companyByScenario('clean-sa-open-branch-2').cnpj, country: 'br' });
    expect(branch.body).toMatchObject({ country: 'BR', orders: whole.body.orders });
  });

  it('returns 200 and an empty list for a supplier without orders', async () => {
    for (const [identifier, country] of [
      [chileanByScenario('cl-never-started').rut, 'CL'],
      ['11.222.333/0001-81', 'BR'],
      [colombianByScenario('co-drafts-only').nit, 'CO'],
    ] as const) {
      const { status, body } = await orders({ identifier, country });
      expect([status, body.total_orders, body.orders, body.coverage]).toEqual([200, 0, [], expect.stringMatching(/\.$/)]);
    }
  });

  it('finds the company of a .cl domain', async () => {
    const byDomain = await orders({ domain: CL.domain });
    expect(byDomain.body).toMatchObject({ rut: formatRut(CL.rut), country: 'CL' });
    expect(byDomain.body.orders).toEqual((await orders({ rut: CL.rut })).body.orders);
  });

  it('returns 404 for a domain without a company', async () => {
    const { status, body } = await orders({ domain: 'nobody-has-this-name.cl' });
    expect([status, body.code]).toEqual([404, 'domain_not_resolved']);
  });

  it('rejects invalid identifiers and domains', async () => {
    expectRefused(await orders({ identifier: '76.795.561-9' }), 'invalid_input', 'identifier');
    expectRefused(await orders({ rut: '76.795.561-9' }), 'invalid_input', 'rut');
    expectRefused(await orders({ identifier: CL.rut, country: 'BR' }), 'invalid_input', 'identifier');
    expectRefused(await orders({}), 'invalid_input', 'identifier');
    expectRefused(await orders({ identifier: 12 }), 'invalid_input', 'identifier');
    expectRefused(await orders({ domain: 'example.com' }), 'invalid_input', 'domain');
    expectRefused(await orders({ domain: CL.domain, country: 'BR' }), 'invalid_input', 'domain');
  });

  it('rejects other countries, and domains for Colombia', async () => {
    expectRefused(await orders({ identifier: CL.rut, country: 'PE' }), 'unsupported_country');
    expectRefused(await orders({ domain: 'example.com.co', country: 'CO' }), 'unsupported_country');
  });

  it('requires the module tenders', async () => {
    const { status, body } = await orders({ rut: CL.rut }, await app.keyFor('kyb'));
    expect([status, body.code]).toEqual([403, 'module_not_enabled']);
  });
});

describe('POST /v1/tenders/awarded', () => {
  it('returns every field of the specification', async () => {
    const { status, body } = await app.post('/v1/tenders/awarded', { rut: CL.rut });
    expect(status).toBe(200);
    const { contracts, ...rest } = body;
    expect(rest).toEqual({
      rut: CL.rut,
      total: contracts.length,
      source: 'mercadopublico',
      attribution: expect.stringMatching(/\.$/),
      coverage: expect.stringMatching(/\.$/),
      data_as_of: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    });
    expect(contracts.length).toBeGreaterThan(0);
    for (const contract of contracts) {
      expect(contract).toEqual({
        code: expect.stringMatching(/./),
        name: expect.stringMatching(/./),
        status: expect.stringMatching(/./),
        amount: expect.any(Number),
        currency: expect.stringMatching(/^[A-Z]{3}$/),
        awarded_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/),
        buyer: expect.stringMatching(/./),
        buyer_rut: expect.stringMatching(/\d/),
      });
    }
    const dates = contracts.map(({ awarded_at }: { awarded_at: string }) => awarded_at);
    expect(dates).toEqual(dates.toSorted().reverse());
  });

  it('accepts a .cl domain, and returns an empty list for a company without awards', async () => {
    const { body } = await app.post('/v1/tenders/awarded', { domain: CL.domain });
    expect(body).toMatchObject({ rut: formatRut(CL.rut), source: 'mercadopublico' });
    const none = await app.post('/v1/tenders/awarded', { rut: chileanByScenario('cl-never-started').rut });
    expect([none.status, none.body.total, none.body.contracts]).toEqual([200, 0, []]);
  });

  it('rejects identifiers and domains that are not Chilean', async () => {
    expectRefused(await app.post('/v1/tenders/awarded', { rut: BR.cnpj }), 'invalid_input', 'rut');
    expectRefused(await app.post('/v1/tenders/awarded', {}), 'invalid_input');
    expectRefused(await app.post('/v1/tenders/awarded', { domain: 'example.com.br' }), 'invalid_input', 'domain');
  });
});

describe('a marketplace that is down', () => {
  it('UP-03 returns 503 with Retry-After for each country', async () => {
    const down = await appWithFaults({ mercadopublico: 'down', mercadopublico_bulk: 'down', pncp: 'down', secopii: 'down' });
    onTestFinished(() => down.close());
    for (const [path, body] of [
      ['/v1/tenders', { identifier: CL.rut }],
      ['/v1/tenders', { identifier: BR.cnpj, country: 'BR' }],
      ['/v1/tenders', { identifier: CO.nit, country: 'CO' }],
      ['/v1/tenders/awarded', { rut: CL.rut }],
      ['/v1/tenders/search', { country: 'CL' }],
      ['/v1/tenders/search', { country: 'BR' }],
      ['/v1/tenders/search', { country: 'CO' }],
    ] as const) {
      const answer = await down.post(path, body);
      expect([path, body, answer.status, answer.body.code]).toEqual([path, body, 503, 'source_unavailable']);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
    const { body } = await down.query(
      `{ company(identifier: "${CL.rut}") { tenders { totalCount } awardedContracts { totalCount } } searchTenders(country: BR) { totalCount } }`,
    );
    expect(body.data).toEqual({ company: { tenders: null, awardedContracts: null }, searchTenders: null });
    expect(body.errors.map(({ extensions }: { extensions: { code: string } }) => extensions.code)).toEqual(
      Array(3).fill('SOURCE_UNAVAILABLE'),
    );
  }, 90_000);
});
