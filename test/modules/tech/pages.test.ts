import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { resolveSigns } from '../../../src/modules/tech/domain.ts';
import { detectTechnologies } from '../../../src/modules/tech/sources/detect.ts';
import { loadFingerprints } from '../../../src/modules/tech/sources/fingerprints.ts';
import { type FetchedPage, factsOf, signsOf } from '../../../src/modules/tech/sources/match.ts';
import { expectShortTurns } from '../../support/longest-turn.ts';
import { needsPublished, publishedPath, sampleJson } from '../../support/samples.ts';

const { fingerprints, relations, categories } = await loadFingerprints();
const judged = (page: FetchedPage) => resolveSigns(signsOf(factsOf(page), fingerprints), relations, categories);

const detect = (html: string, { headers = {}, dns = {}, url = 'https://tienda.example.cl/' } = {}) =>
  judged({ url, headers, html, dns }).map(({ name }) => name);

describe('a page', () => {
  it.each([
    ['Transbank Webpay', '<form action="https://webpay3g.transbank.cl/webpayserver/initTransaction"></form>'],
    ['Mercado Pago', '<script src="https://sdk.mercadopago.com/js/v2"></script>'],
    ['Wompi', '<script src="https://checkout.wompi.co/widget.js"></script>'],
    ['PayU', '<form action="https://checkout.payulatam.com/ppp-web-gateway-payu"></form>'],
    ['Tiendanube', '<script src="//acdn.mitiendanube.com/stores/1/app.js"></script>'],
    ['Next.js', '<script id="__NEXT_DATA__" type="application/json">{}</script>'],
    ['Remix', '<script>window.__remixContext = {}</script>'],
  ])('shows %s', (name, html) => {
    expect(detect(`<html><body>${html}</body></html>`)).toContain(name);
  });

  it('shows the technologies of its headers, cookies and mail records', async () => {
    const headers = { server: ['nginx/1.18.0'], 'set-cookie': ['PHPSESSID=abc; path=/', '_ga_X1=1'] };
    const found = detect('<p>x</p>', { headers, dns: { mx: ['aspmx.l.google.com'], txt: [] } });
    expect(found).toEqual(expect.arrayContaining(['Nginx', 'PHP', 'Google Workspace', 'Google Analytics']));
  });

  it('shows a name among several of one meta, and an attribute by its pattern', async () => {
    const html = '<meta name="generator" content="x"><meta name="generator" content="Astro v4.1"><style>a{}</style>';
    expect(detect(html)).toContain('Astro');
    expect(detect("<link href='/_astro/index-abc.css'>")).toContain('Astro');
  });

  it('shows nothing for a page that only mentions products', async () => {
    const html = '<html><body><p>Usamos Shopify, WordPress, Mercado Pago y Webpay de Transbank, dice este artículo.</p></body></html>';
    expect(detect(html)).toEqual([]);
  });

  it('gives the same technologies in a process of its own', { timeout: 70_000 }, async () => {
    const page = { url: 'https://in-a-process.cl/', headers: { server: ['nginx'] }, html: '<p>x</p>', dns: {} };
    expect(await detectTechnologies(page, 60_000)).toEqual(judged(page));
  });

  it('that takes too long is aborted, and no page of its site is examined for a while', async () => {
    const page = { url: 'https://www.slow.example.cl/', headers: {}, html: '<p>x</p>', dns: {} };
    await expect(detectTechnologies(page, 1)).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    const another = { ...page, url: 'https://other.example.cl/page' };
    await expect(detectTechnologies(another)).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    expect(await detectTechnologies({ ...page, url: 'https://fast-example.cl/' }, 60_000)).toEqual([]);
  });

  it('of nothing but elements is a failed source, and the service goes on', { timeout: 120_000 }, async () => {
    const page = { headers: {}, html: '<p>'.repeat(700_000), dns: {} };
    let nth = 0;
    await expectShortTurns('technologies, elements', () =>
      expect(detectTechnologies({ ...page, url: `https://elements-example-${nth++}.cl/` })).rejects.toMatchObject({
        code: 'SOURCE_UNAVAILABLE',
      }),
    );
  });

  it('that cannot be read is an error', async () => {
    const broken = { url: 'https://broken-example.cl/', headers: {}, html: null as unknown as string, dns: {} };
    await expect(detectTechnologies(broken)).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
  });
});

// https://github.com/enthec/webappanalyzer/issues/223: a partner's stylesheet under /wp-content/ is no sign of WordPress.
describe('the technologies of a server', () => {
  const PARTNER = 'https://cdn.partner-example.test';
  const PATH = '/wp-content/plugins/widget/style.css';

  it.each([
    ['a stylesheet', `<link rel="stylesheet" href="${PARTNER}${PATH}">`],
    ['a script', `<script src="${PARTNER}/wp-includes/js/widget.js"></script>`],
    ['a script without a scheme', '<script src="//cdn.partner-example.test/wp-includes/js/widget.js"></script>'],
    ['a script in capitals', '<SCRIPT SRC=HTTPS://CDN.PARTNER-EXAMPLE.TEST/wp-includes/js/widget.js></SCRIPT>'],
    ['a script with references', '<script src="https:&#47;&#x2f;cdn.partner-example.test/wp-includes/js/widget.js"></script>'],
    ['a preloaded script', `<link rel="preload" as="script" href="${PARTNER}/wp-includes/js/widget.js">`],
    ['a script that loads another', String.raw`<script>load("https:\/\/cdn.partner-example.test\/wp-content\/themes\/x.js")</script>`],
    ['an inline style', `<style>a { background: url(${PARTNER}${PATH}) }</style>`],
    ['a picture', `<img src="${PARTNER}/wp-content/uploads/a.png" srcset="${PARTNER}/wp-content/uploads/b.png 2x">`],
    ['a frame', `<iframe src="${PARTNER}/wp-content/a.html"></iframe>`],
    ['a link', `<a href="${PARTNER}/wp-content/a.html">partner</a>`],
    ['a redirect', `<meta http-equiv="refresh" content="0; url=${PARTNER}${PATH}">`],
    ['an own redirect', `<script src="https://tienda.example.cl/out?u=${PARTNER}/wp-includes/js/widget.js"></script>`],
    ['an own proxy', `<link rel="stylesheet" href="https://cdn.example.cl/w=300/${PARTNER}${PATH}">`],
    ['a base', `<base href="${PARTNER}/"><link rel="stylesheet" href="${PATH}"><script src="/wp-includes/js/x.js"></script>`],
    ['a host with a user', `<script src="https://tienda.example.cl@cdn.partner-example.test/wp-includes/js/widget.js"></script>`],
    ['a plugin', `<script src="${PARTNER}/wp-content/plugins/woocommerce/assets/js/woocommerce.min.js?ver=3.1"></script>`],
    ['another system', `<script src="${PARTNER}/sites/all/modules/x.js"></script><script src="${PARTNER}/_next/static/x.js"></script>`],
    ['one more', `<script src="${PARTNER}/_nuxt/x.js"></script><script src="${PARTNER}/_app/immutable/x.js"></script>`],
    ['a script with an IPv6 address', '<script src="//[2001:db8::1]:8443/wp-includes/js/widget.js"></script>'],
    ['a script with a host without dots', '<script src="http://intranet/wp-includes/js/widget.js"></script>'],
    ['a script with a host as one number', '<script src="http://134744072/wp-includes/js/widget.js"></script>'],
    ['a script with a tab in its address', '<script src="/\t/cdn.partner-example.test/wp-includes/js/widget.js"></script>'],
    ['a stylesheet with a line break in its address', `<link rel="stylesheet" href="https://cdn\n.partner-example.test${PATH}">`],
    ['the client of a chat', `<script src="${PARTNER}/socket.io/socket.io.js"></script>`],
    [
      'a path that resembles a host',
      `<script src="${PARTNER}/bitrix/js/main/core.js"></script><script src="${PARTNER}/bigcommerce/a.js"></script>`,
    ],
  ])('are not shown by %s of another site', (_, html) => {
    const found = detect(`<html><head>${html}</head><body></body></html>`);
    const servers = ['WordPress', 'WooCommerce', 'PHP', 'MySQL', 'Drupal', 'Next.js', 'Nuxt.js', 'SvelteKit', 'Node.js'];
    expect(found.filter((name) => [...servers, '1C-Bitrix', 'BigCommerce'].includes(name))).toEqual([]);
  });

  it('are not shown by a company under the public suffix whose site the page is', () => {
    const page = '<link rel="stylesheet" href="https://otra-ficticia.com.co/wp-content/themes/x/style.css">';
    expect(detect(page, { url: 'https://com.co/' })).not.toContain('WordPress');
    expect(detect('<link rel="stylesheet" href="/wp-content/themes/x/style.css">', { url: 'https://com.co/' })).toContain('WordPress');
  });

  it.each([
    ['a path', '/wp-content/themes/x/style.css'],
    ['a relative path', 'x/wp-content/themes/x/style.css'],
    ['its host', 'https://tienda.example.cl/wp-content/themes/x/style.css'],
    ['its domain', 'https://example.cl/wp-content/themes/x/style.css'],
    ['its content network', '//cdn.static.example.cl/wp-content/themes/x/style.css'],
    ['its domain in Unicode', 'https://PEQUEÑA.cl/wp-content/themes/x/style.css', 'https://www.xn--pequea-0wa.cl/'],
    ['its address', 'https://200.1.2.3:8443/wp-content/themes/x/style.css', 'https://200.1.2.3/'],
    ['its content network, whose address is written for scripts', String.raw`https:\/\/cdn.example.cl\/wp-content/themes/x/style.css`],
  ])('are shown by a stylesheet of the own site, by %s', (_, href, url = 'https://tienda.example.cl/') => {
    const found = detect(`<link rel="stylesheet" id="x" href="${href}">`, { url });
    expect(found).toEqual(expect.arrayContaining(['WordPress', 'PHP', 'MySQL']));
  });

  it('are shown by a host that only their customers use', () => {
    expect(detect('<script src="https://cdn.shopify.com/s/files/1/theme.js"></script>')).toContain('Shopify');
    expect(detect('<script src="https://cdn11.bigcommerce.com/r-1/js/a.js"></script>')).toContain('BigCommerce');
  });

  it('say nothing about scripts of the browser, whoever serves them', () => {
    const html = `<script src="https://code.jquery.com/jquery-3.6.4.min.js"></script><script src="${PARTNER}/js/bootstrap.min.js"></script>`;
    expect(detect(html)).toEqual(expect.arrayContaining(['jQuery', 'Bootstrap']));
  });

  it.each(['?x=/wp-content/themes/a.js', '?option=com_content', '?a=1&x=<link rel="stylesheet" href="/wp-content/">'])(
    'are not shown by the query string %s that a caller chose, even where the page repeats it',
    (query) => {
      const { href, search } = new URL(`https://tienda.example.cl/${query}`);
      const shown = [search, search.replaceAll('&', '&amp;'), decodeURIComponent(search)];
      const html = shown.map((text) => `<link rel="stylesheet" href="/style${text}"><script src="/a.js${text}"></script>`).join('');
      expect(detect(html, { url: href })).toEqual([]);
    },
  );
});

const listed = (headers: Record<string, string | string[]>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), [value].flat()]));

describe('a recorded page', () => {
  it('of each constructed kind shows exactly what is in it', async () => {
    for (const { url, headers, html, expected } of sampleJson('email-tech/pages_constructed.json').pages) {
      const found = judged({ url, headers: listed(headers), html, dns: {} });
      const wanted = expected.map((one: { name: string; version: string | null }) => [one.name, one.version]).sort();
      expect(found.map(({ name, version }) => [name, version]).sort()).toEqual(wanted);
    }
  });

  it('of a real site shows what it must, and no known false positive', needsPublished('email-tech/page_vercel.com.json'), () => {
    const read = (name: string) => JSON.parse(readFileSync(publishedPath(`email-tech/${name}`), 'utf8'));
    for (const name of ['page_kikobeats.com', 'page_vercel.com']) {
      const { url, headers, html } = read(`${name}.json`);
      const { must, weak = [], trueButMissed = [], falsePositives = [] } = read(`${name}.expected.json`);
      const found = judged({ url, headers: listed(headers), html, dns: {} }).map((one) => one.name);
      expect(found).toEqual(expect.arrayContaining([...must, ...weak, ...trueButMissed]));
      expect(found.filter((one) => falsePositives.includes(one))).toEqual([]);
    }
  });
});
