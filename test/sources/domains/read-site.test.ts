import { describe, expect, it } from 'vitest';
import { readSite } from '../../../src/sources/domains/read-site.ts';
import { type SiteReply, testSites } from '../website/sites.ts';

const KEY = { domain: 'sitio.cl', start: null };
const RUT = '<footer>Sitio SpA RUT 76.360.903-0</footer>';

async function read(pages: Readonly<Record<string, SiteReply>>, start: (port: number) => string | null = () => null) {
  const sites = await testSites(pages);
  const reading = readSite(sites.website, { ...KEY, start: start(sites.port) }, 'CL');
  return { asked: sites.asked, reading };
}

const pathsOf = (asked: readonly string[]) => asked.map((name) => name.replace(/^[^/]*/, '')).filter((path) => path !== '/robots.txt');

describe('the reading of a site', () => {
  it('ends after the front page when that has one company and no links to follow', async () => {
    const { asked, reading } = await read({ 'sitio.cl/': `<title>Sitio</title>${RUT}` });
    expect(await reading).toMatchObject({
      outcome: 'read',
      pages: [{ url: 'http://sitio.cl/', title: 'Sitio', sightings: [{ taxId: '763609030' }] }],
      incomplete: false,
    });
    expect(pathsOf(asked)).toEqual(['/']);
  });

  it('continues with the legal, privacy, contact and about pages that the front page links to, one of each kind first', async () => {
    const links = ['/terminos', '/condiciones', '/aviso-legal', '/Quiénes', '/politica-privacidad', '/contacto', '/productos']
      .map((href) => `<a href="${href}#x">${href === '/Quiénes' ? 'Quiénes somos' : 'ver'}</a>`)
      .join('');
    const { asked, reading } = await read({ 'sitio.cl/': `${links}${RUT}` });
    await reading;
    expect(pathsOf(asked).slice(1).sort()).toEqual(['/Qui%C3%A9nes', '/contacto', '/politica-privacidad', '/terminos']);
  });

  it('follows no link to another domain, to a file, to itself or to nothing', async () => {
    const hrefs = [
      'https://otro.cl/terminos',
      'http://sitio.cl:22/legal',
      '/terminos.pdf',
      '/',
      '#legal',
      'mailto:legal@sitio.cl',
      'http://',
      'javascript:legal()',
    ];
    const { asked, reading } = await read({ 'sitio.cl/': `${hrefs.map((href) => `<a href="${href}">Aviso legal</a>`).join('')}${RUT}` });
    await reading;
    expect(pathsOf(asked)).toEqual(['/']);
  });

  it('requests usual paths when no company is clear, until one is', async () => {
    const { asked, reading } = await read({ 'sitio.cl/': '<p>Hola</p>', 'sitio.cl/nosotros': RUT });
    expect((await reading).pages.map(({ url }) => url)).toEqual(['http://sitio.cl/', 'http://sitio.cl/nosotros']);
    expect(pathsOf(asked)).toContain('/contacto');
    expect(pathsOf(asked)).not.toContain('/aviso-legal');
  });

  it('requests all usual paths before it ends, and is complete when they are missing', async () => {
    const { asked, reading } = await read({ 'sitio.cl/': '<p>Hola</p>' });
    expect(await reading).toMatchObject({ pages: [{ sightings: [] }], incomplete: false });
    expect(pathsOf(asked)).toEqual(expect.arrayContaining(['/contacto', '/terminos', '/terminos-y-condiciones', '/aviso-legal']));
  });

  it('requests Portuguese paths for .br', async () => {
    const { website } = await testSites({ 'sitio.com.br/': '<p>Olá</p>', 'sitio.com.br/quem-somos': '<p>CNPJ 11.222.333/0001-81</p>' });
    const { pages } = await readSite(website, { domain: 'sitio.com.br', start: null }, 'BR');
    expect(pages.at(-1)).toMatchObject({ url: 'http://sitio.com.br/quem-somos', sightings: [{ taxId: '11222333000181' }] });
  });

  it('reads at most four further pages, and none twice', async () => {
    const paths = ['/contacto', '/nosotros', '/terminos', '/terminos-y-condiciones', '/quienes-somos', '/aviso-legal'];
    const { reading } = await read({
      'sitio.cl/': '<p>Hola</p>',
      ...Object.fromEntries(paths.map((path) => [`sitio.cl${path}`, `<p>${path}</p>`])),
    });
    expect((await reading).pages).toHaveLength(5);
    const same = await read({ 'sitio.cl/': '<p>Hola</p>', ...Object.fromEntries(paths.map((path) => [`sitio.cl${path}`, '<p>Hola</p>'])) });
    expect((await same.reading).pages).toHaveLength(1);
  });

  it('begins with the page in the input, and continues with the front page when that names no company', async () => {
    const { asked, reading } = await read({ 'sitio.cl/x': '<p>x</p>', 'sitio.cl/': RUT }, (port) => `http://sitio.cl:${port}/x`);
    expect((await reading).pages.map(({ url }) => new URL(url).pathname)).toEqual(['/x', '/']);
    expect(pathsOf(asked)[0]).toBe('/x');
  });

  it('finds a company on another page when the front page is missing', async () => {
    const { reading } = await read({ 'sitio.cl/': { status: 404 }, 'sitio.cl/contacto': RUT });
    expect(await reading).toMatchObject({ pages: [{ url: 'http://sitio.cl/contacto' }] });
  });

  it('is incomplete when a linked page could not be fetched', async () => {
    const { reading } = await read({ 'sitio.cl/': '<a href="/terminos">Términos</a>', 'sitio.cl/terminos': { status: 500 } });
    expect(await reading).toMatchObject({ outcome: 'read', incomplete: true });
  });

  it('ends when robots.txt disallows it or the name does not exist', async () => {
    const forbidding = { headers: { 'content-type': 'text/plain' }, body: 'User-agent: *\nDisallow: /' };
    expect(await (await read({ 'sitio.cl/robots.txt': forbidding, 'sitio.cl/': RUT })).reading).toEqual({
      outcome: 'robots',
      pages: [],
      incomplete: false,
    });
    expect(await (await read({})).reading).toEqual({ outcome: 'no_such_name', pages: [], incomplete: false });
  });

  it.each([
    ['is down', { status: 500 }],
    ['turns robots away', { status: 403 }],
    ['resets', ({ socket }: { socket: { resetAndDestroy(): void } }) => socket.resetAndDestroy()],
  ] as const)('UP-03 fails where the site %s', async (_, reply) => {
    const { reading } = await read({ 'sitio.cl/': reply as SiteReply });
    await expect(reading).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE', facts: { source: 'website' } });
  });

  it('rejects a URL that is never fetched', async () => {
    const { reading } = await read({ 'sitio.cl/': RUT }, () => 'http://user:pw@sitio.cl/');
    await expect(reading).rejects.toMatchObject({ code: 'INVALID_INPUT', facts: { field: 'domain' } });
  });
});
