import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, testApp } from '../../support/app.ts';
import { NXDOMAIN, startDnsServer, type TestDns, zoneReply } from '../../support/dns-server.ts';
import { startUpstream } from '../../support/upstream.ts';

type Server = Awaited<ReturnType<typeof startUpstream>>;

const PAGES: Readonly<Record<string, string>> = {
  '/x': '<title>Catálogo</title><p>Catálogo</p>',
  '/': '<footer>Rentokil Initial Chile SpA | RUT 76.360.903-0</footer>',
  '/sem-rotulo': '<p>Padaria Inventada LTDA 11.222.333/0001-81</p>',
  '/rotulo': '<p>Padaria Inventada LTDA, CNPJ 11.222.333/0001-81</p>',
  '/links': '<a href="/contato-quebrado">Contato</a>',
};

const HOSTS = ['sitio.cl', 'oculto.com.br', 'loja.simplesite.com.br'];

/** Stand-in upstreams of this test, in live mode, connected by settings. */
describe('a domain, with stand-ins for the DNS, the site and the registries', () => {
  let app: TestApp;
  let dns: TestDns;
  let site: Server;
  let registry: Server;
  let receita: Server;
  beforeAll(async () => {
    site = await startUpstream((path) => ({
      status: path.includes('quebrado') ? 500 : path in PAGES ? 200 : 404,
      body: PAGES[path] ?? 'not found',
    }));
    registry = await startUpstream((path) => {
      const name = path.split('/').at(-1) ?? '';
      const shown =
        name === 'oculto.com.br'
          ? { handle: 'OCULT' }
          : { handle: '47686555000100', publicIds: [{ type: 'cnpj', identifier: '47.686.555/0001-00' }] };
      return {
        body: { objectClassName: 'domain', ldhName: name, entities: [{ objectClassName: 'entity', roles: ['registrant'], ...shown }] },
      };
    });
    receita = await startUpstream(() => ({ status: 503, body: 'busy' }));
    const addresses = [...HOSTS.map((host) => [host, '127.0.0.1'] as const), ['interno.cl', '10.0.0.7'] as const];
    const zone = zoneReply(Object.fromEntries(addresses.map(([host, data]) => [host, [{ type: 'A', data }]])));
    dns = await startDnsServer((question, nth) =>
      addresses.some(([host]) => host === question.name) ? zone(question, nth) : { rcode: NXDOMAIN },
    );
    app = await testApp({
      env: {
        QUIPU_SOURCES: 'live',
        QUIPU_DNS_SERVERS: dns.address,
        QUIPU_OUTBOUND_ALLOW: '127.0.0.0/8',
        QUIPU_RDAP_BR_URL: registry.url,
        QUIPU_RECEITA_URL: receita.url,
      },
      listsTried: false,
    });
  }, 120_000);
  afterAll(async () => {
    await app.close();
    await Promise.all([dns.close(), site.close(), registry.close(), receita.close()]);
  });

  const owner = async (domain: string) =>
    (
      await app.query(
        'query ($domain: String!) { domainOwner(domain: $domain) { company { identifier } confidence reason evidence { url } } }',
        { domain },
      )
    ).body;

  const at = (host: string, path: string) => `${site.url.replace('127.0.0.1', host)}${path}`;
  const failed = async (domain: string) => (await owner(domain)).errors?.[0]?.extensions;

  it('starts at the pasted address, port included', async () => {
    expect((await owner(at('sitio.cl', '/x'))).data.domainOwner).toMatchObject({
      company: { identifier: '763609030' },
      confidence: 0.8,
      evidence: { url: at('sitio.cl', '/') },
    });
    expect(site.asked.slice(0, 2)).toEqual(['/robots.txt', '/x']);
  });

  it('is the registrant’s for .br, also when the tax registry fails', async () => {
    expect((await owner('exemplo.com.br')).data.domainOwner).toMatchObject({ company: { identifier: '47686555000100' } });
    expect(await app.post('/v1/enrich', { domain: 'exemplo.com.br' })).toMatchObject({ status: 503, body: { code: 'source_unavailable' } });
  });

  it('UP-03 is an error, not "no owner", while the registry that has the name fails', async () => {
    expect(await failed(at('oculto.com.br', '/sem-rotulo'))).toMatchObject({ code: 'SOURCE_UNAVAILABLE', source: 'RECEITA_FEDERAL' });
    expect((await owner(at('oculto.com.br', '/rotulo'))).data.domainOwner).toMatchObject({
      company: { identifier: '11222333000181' },
      confidence: 0.6,
    });
  });

  it('UP-03 is an error, not "no owner", while a page that the site links to cannot be read', async () => {
    expect(await failed(at('oculto.com.br', '/links'))).toMatchObject({ code: 'SOURCE_UNAVAILABLE', source: 'WEBSITE' });
  });

  it('is searched on the site only when it is the subdomain of a customer on a shared host', async () => {
    const before = registry.asked.length;
    expect((await owner(at('loja.simplesite.com.br', '/rotulo'))).data.domainOwner).toMatchObject({
      company: { identifier: '11222333000181' },
    });
    expect(registry.asked).toHaveLength(before);
  });

  it('SS-06 gives the same error for a site on a private address and for one that does not answer', async () => {
    const [hidden, silent] = await Promise.all([owner('interno.cl'), owner('http://sitio.cl:1/')]);
    const errorsOf = ({ errors }: { errors: readonly { message: string; extensions: { code: string; source: string } }[] }) =>
      errors.map(({ message, extensions: { code, source } }) => ({ message, code, source }));
    expect(errorsOf(hidden)).toEqual([{ message: expect.any(String), code: 'SOURCE_UNAVAILABLE', source: 'WEBSITE' }]);
    expect(errorsOf(silent)).toEqual(errorsOf(hidden));
  });

  it('is not resolved where its name is not in the DNS', async () => {
    expect((await owner('noexiste.cl')).data.domainOwner).toMatchObject({ company: null, reason: 'NO_SUCH_NAME' });
  });
});
