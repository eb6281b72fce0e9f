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
