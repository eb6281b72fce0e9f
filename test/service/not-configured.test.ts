import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressSpecs } from '../../src/config.ts';
import { type TestApp, testApp } from '../support/app.ts';
import { startUpstream } from '../support/upstream.ts';

describe('a source whose setting is missing', () => {
  let app: TestApp;
  let upstream: Awaited<ReturnType<typeof startUpstream>>;
  beforeAll(async () => {
    upstream = await startUpstream(() => ({ status: 404, body: '' }));
    const given = [...addressSpecs().keys()].filter((name) => name !== 'QUIPU_MERCADOPUBLICO_URL').map((name) => [name, upstream.url]);
    app = await testApp({ env: { QUIPU_SOURCES: 'live', ...Object.fromEntries(given) }, listsTried: false });
  });
  afterAll(async () => {
    await app.close();
    await upstream.close();
  });

  it('is named by REST with the setting, and without an invitation to try again', async () => {
    const { status, headers, body } = await app.post('/v1/tenders/search', { country: 'CL' });
    expect([status, headers['retry-after']]).toEqual([503, undefined]);
    expect(body).toMatchObject({
      code: 'source_not_configured',
      detail:
        'Source mercadopublico is not configured: the operator of this service must set QUIPU_MERCADOPUBLICO_TICKET. It is asked for at https://www.chilecompra.cl/api/',
    });
  });

  it('has a code of its own in GraphQL', async () => {
    const { body } = await app.query('{ searchTenders(country: CL) { totalCount } }');
    expect(body).toMatchObject({
      data: { searchTenders: null },
      errors: [{ extensions: { code: 'SOURCE_NOT_CONFIGURED', source: 'MERCADOPUBLICO' } }],
    });
    expect(body.errors[0].extensions.retryAfterSeconds).toBeUndefined();
  });
});
