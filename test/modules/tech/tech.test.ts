import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.ts';
import { connectProxy } from '../../support/connect-proxy.ts';
import { dnsServer, NXDOMAIN, zoneReply } from '../../support/dns-server.ts';
import { upstream } from '../../support/upstream.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp();
});
afterAll(() => app.close());

const names = (body: { technologies: { name: string }[] }) => body.technologies.map(({ name }) => name);

describe('POST /v1/tech', () => {
  it('gives the technologies of a site, field by field', async () => {
    const { status, body } = await app.post('/v1/tech', { domain: 'tienda-ficticia.cl' });
    expect(status).toBe(200);
    expect(Object.keys(body)).toEqual(['domain', 'url', 'technologies', 'checked_at']);
    expect(body).toMatchObject({ domain: 'tienda-ficticia.cl', url: 'http://tienda-ficticia.cl/' });
    expect(body.checked_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+00:00$/);
    expect(body.technologies).toContainEqual({ name: 'WordPress', categories: ['CMS', 'Blogs'], version: '6.2.2', confidence: 100 });
    expect(names(body)).toEqual(
      expect.arrayContaining(['Nginx', 'PHP', 'WooCommerce', 'Transbank Webpay', 'Mercado Pago', 'Google Workspace', 'MySQL']),
    );
  });

  it('accepts a URL, a mail address or capitals for the same site', async () => {
    const bodies = await Promise.all(
      [{ url: 'http://tienda-ficticia.cl/' }, { domain: 'WWW.Tienda-Ficticia.CL' }, { domain: 'ventas@tienda-ficticia.cl' }].map((body) =>
        app.post('/v1/tech', body),
      ),
    );
    expect(bodies.map(({ body }) => [body.domain, names(body).includes('WooCommerce')])).toEqual(
      Array.from({ length: 3 }, () => ['tienda-ficticia.cl', true]),
    );
  });

  it('lists no product that a page only mentions, but what its mail records show', async () => {
    expect(names((await app.post('/v1/tech', { domain: 'solo-texto-ficticio.cl' })).body)).toEqual(['Microsoft 365']);
  });

  it('distinguishes a name that does not exist from a site that cannot be read', async () => {
    expect(await app.post('/v1/tech', { domain: 'no-existe-ficticio.cl' })).toMatchObject({
      status: 404,
      body: { code: 'domain_not_resolved' },
    });
    const forbidden = await app.post('/v1/tech', { domain: 'sin-robots-ficticio.cl' });
    expect(forbidden).toMatchObject({ status: 503, body: { code: 'source_unavailable', detail: expect.stringContaining('robots.txt') } });
    expect(forbidden.headers['retry-after']).toBe('86400');
  });

  it.each([[{}], [{ domain: '' }], [{ domain: 7 }], [{ domain: 'no domain' }], [{ url: 'ftp://x.cl' }], [{ url: 'http://u:p@x.cl/' }]])(
    'refuses %j as input',
    async (body) => {
      expect(await app.post('/v1/tech', body)).toMatchObject({ status: 422, body: { code: 'invalid_input' } });
    },
  );

  it.each(['down', 'hung', 'html_404', 'status_500', 'rate_limited', 'corrupt_gzip', 'big_headers'] as const)(
    'is 503 when the site is broken (%s)',
    async (mode) => {
      app.sandbox?.faults.set('website', { mode, match: 'solo-texto' });
      const { status, body } = await app.post('/v1/tech', { url: `http://solo-texto-ficticio.cl/?${mode}` });
      app.sandbox?.faults.clear();
      expect({ status, code: body.code }).toEqual({ status: 503, code: 'source_unavailable' });
    },
  );
});

describe('Query.techStack', () => {
  it('gives the same, with its freshness', async () => {
    const { body } = await app.query(
      '{ techStack(domain: "tienda-ficticia.cl") { domain url dnsChecked technologies { name version confidence categories } freshness { stale } } }',
    );
    expect(body.errors).toBeUndefined();
    expect(body.data.techStack).toMatchObject({ domain: 'tienda-ficticia.cl', dnsChecked: true, freshness: { stale: false } });
  });

  it('is null beside the error of a site that cannot be read', async () => {
    const { body } = await app.query('{ techStack(domain: "sin-robots-ficticio.cl") { url } }');
    expect(body).toMatchObject({ data: { techStack: null }, errors: [{ extensions: { code: 'SOURCE_UNAVAILABLE', source: 'WEBSITE' } }] });
  });
});

// https://github.com/john-kurkowski/tldextract/issues/179: a state's name is a public suffix and a site at once.
describe('the site of a public suffix', () => {
  it('is read as any other', async () => {
    const { url } = await upstream((path) =>
      path === '/robots.txt' ? { status: 404, body: '' } : { body: '<meta name="generator" content="WordPress 6.1">' },
    );
    const zone = zoneReply(
      Object.fromEntries(['rs.gov.br', 'www.rs.gov.br', 'com.co'].map((name) => [name, [{ type: 'A' as const, data: '127.0.0.1' }]])),
    );
    const { address } = await dnsServer((question, nth) =>
      /(?:rs\.gov\.br|^com\.co)$/.test(question.name) ? zone(question, nth) : { rcode: NXDOMAIN },
    );
    const live = await testApp({
      env: { QUIPU_SOURCES: 'live', QUIPU_DNS_SERVERS: address, QUIPU_OUTBOUND_ALLOW: '127.0.0.0/8' },
      listsTried: false,
    });
    try {
      for (const host of ['rs.gov.br', 'www.rs.gov.br', 'com.co']) {
        const { status, body } = await live.post('/v1/tech', { url: `http://${host}:${new URL(url).port}/` });
        expect({ status, domain: body.domain }).toEqual({ status: 200, domain: host.replace('www.', '') });
        expect(body.technologies).toContainEqual(expect.objectContaining({ name: 'WordPress', version: '6.1' }));
      }
      expect((await live.post('/v1/tech', { url: 'http://net.co/' })).body.code).toBe('domain_not_resolved');
    } finally {
      await live.close();
    }
  });
});

describe('SS-01 a site on a private network', () => {
  it('is not read, with the same error as one that does not answer', async () => {
    const { url, asked } = await upstream(() => ({ body: '<p>internal</p>' }));
    const live = await testApp({ env: { QUIPU_SOURCES: 'live', QUIPU_DNS_SERVERS: '127.0.0.1:9' }, listsTried: false });
    try {
      const port = new URL(url).port;
      const inside = await live.post('/v1/tech', { url: `${url}/` });
      const closed = await live.post('/v1/tech', { url: 'http://127.0.0.1:9/' });
      const decimal = await live.post('/v1/tech', { url: `http://2130706433:${port}/` });
      expect([inside.status, closed.status, decimal.status]).toEqual([503, 503, 503]);
      expect(new Set([inside.body.detail, closed.body.detail, decimal.body.detail]).size).toBe(1);
      expect(asked).toEqual([]);
    } finally {
      await live.close();
    }
  });

  it('is read where the operator names its network', async () => {
    const { url } = await upstream((path) =>
      path === '/robots.txt' ? { status: 404, body: '' } : { body: '<script src="/_nuxt/app.js"></script>' },
    );
    const live = await testApp({
      env: { QUIPU_SOURCES: 'live', QUIPU_DNS_SERVERS: '127.0.0.1:9', QUIPU_OUTBOUND_ALLOW: '127.0.0.0/8' },
      listsTried: false,
    });
    try {
      const { body } = await live.post('/v1/tech', { url: `${url}/` });
      expect(names(body)).toContain('Nuxt.js');
    } finally {
      await live.close();
    }
  });

  it('SS-07 is read through the egress proxy that the operator names, or not at all', async () => {
    const proxy = await connectProxy({ credentials: 'quipu:secret' });
    const { url } = await upstream((path) => (path === '/robots.txt' ? { status: 404, body: '' } : { body: '<p>hello</p>' }));
    const env = {
      QUIPU_SOURCES: 'live',
      QUIPU_DNS_SERVERS: '127.0.0.1:9',
      QUIPU_OUTBOUND_ALLOW: '127.0.0.0/8',
      QUIPU_EGRESS_PROXY: proxy.url,
    };
    const live = await testApp({ env, listsTried: false });
    try {
      expect((await live.post('/v1/tech', { url: `${url}/` })).status).toBe(200);
      expect(new Set(proxy.tunnels)).toEqual(new Set([new URL(url).host]));
      await proxy.stop();
      expect((await live.post('/v1/tech', { url: `${url}/other` })).status).toBe(503);
    } finally {
      await live.close();
    }
  });
});
