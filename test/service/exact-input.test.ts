import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../../sandbox/world/chile/world.ts';
import { type TestApp, testApp } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

const CNPJ = companyByScenario('clean').cnpj;
/** Its check digit is no K, so that it can be a number. */
const RUT = chileanByScenario('cl-supplier').rut;

/** A webhook is needed to watch, and is not called here. */
const WATCH = { country: 'BR', webhook_url: 'http://127.0.0.1:9/hook' };

// https://github.com/lmstudio-ai/lmstudio-bug-tracker/issues/1626 and https://github.com/VibiumDev/vibium/issues/85: programs turn a text of
// digits into a number, and a number into a text.
describe('a body of REST', () => {
  it.each<[string, object]>([
    ['/v1/kyb', { country: 'BR', identifier: Number(CNPJ) }],
    ['/v1/kyb', { country: 'CL', identifier: Number(RUT) }],
    ['/v1/owners', { country: 'BR', identifier: Number(CNPJ) }],
    ['/v1/compliance-br', { cnpj: Number(CNPJ), receipt: 'true' }],
    ['/v1/sanctions', { country: 'BR', identifier: Number(CNPJ), include_dismissed: 'false' }],
    ['/v1/enrich', { identifier: Number(CNPJ) }],
    ['/v1/tenders/search', { country: 'CL', page: '1' }],
    ['/v1/monitor/subscriptions', { ...WATCH, identifiers: [Number(CNPJ)], list_news: 'true', candidate_news: 'false' }],
    ['/v1/screenings', { country: 'BR', identifiers: [Number(CNPJ)] }],
  ])('of %s may have digits as a number, and numbers and booleans as texts: %o', async (path, body) => {
    const { status, body: reply } = await app.post(path, body);
    expect([status < 300, reply.errors]).toEqual([true, undefined]);
  });

  it('repeats a number as the text that it means', async () => {
    expect((await app.post('/v1/kyb', { country: 'BR', identifier: Number(CNPJ) })).body).toMatchObject({
      identifier: CNPJ,
      status: 'active',
    });
    const { body } = await app.post('/v1/compliance-br', { cnpj: Number(CNPJ), receipt: 'true' });
    expect(body).toMatchObject({ cnpj: CNPJ, evidence: { receipt: { version: 1 } } });
  });

  it.each<[string, object, string]>([
    ['/v1/kyb', { country: 'BR', identifier: 99030001000146.5 }, 'identifier'],
    ['/v1/kyb', { country: 'BR', identifier: 2 ** 53 }, 'identifier'],
    ['/v1/kyb', { country: 'BR', identifier: -1 }, 'identifier'],
    ['/v1/kyb', { country: 'BR', identifier: true }, 'identifier'],
    ['/v1/kyb', { country: 'BR', identifier: [Number(CNPJ)] }, 'identifier'],
    ['/v1/compliance-br', { cnpj: CNPJ, receipt: 'yes' }, 'receipt'],
    ['/v1/compliance-br', { cnpj: CNPJ, receipt: 1 }, 'receipt'],
    ['/v1/tenders/search', { country: 'CL', page: '1.0' }, 'page'],
    ['/v1/tenders/search', { country: 'CL', page: '0' }, 'page'],
    ['/v1/tenders/search', { country: 'CL', page: '' }, 'page'],
    ['/v1/monitor/subscriptions', { ...WATCH, identifiers: [1.5] }, 'identifiers'],
    ['/v1/screenings', { country: 'BR', identifiers: [null] }, 'identifiers'],
    ['/v1/kyb', { country: null, identifier: CNPJ }, 'country'],
  ])('of %s is 422 for what is not exact: %o', async (path, body, field) => {
    const { status, body: reply } = await app.post(path, body);
    expect(reply).toMatchObject({
      code: 'invalid_input',
      errors: [{ field: expect.stringContaining(field), message: expect.any(String) }],
    });
    expect(status).toBe(422);
  });
});
