import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { testSites } from './sites.ts';

const HTML = '<html><title>Hola</title></html>';

describe('a website', () => {
  it('is opened by its bare name, https before http', async () => {
    const { website, asked } = await testSites({ 'sitio.cl/': HTML });
    const { entry } = await website.open('sitio.cl');
    expect(entry).toMatchObject({ kind: 'page', page: { status: 200, html: HTML, cut: false } });
    expect(entry.kind === 'page' && entry.page.url.href).toBe('http://sitio.cl/');
    expect(asked).toEqual(['sitio.cl/robots.txt', 'sitio.cl/']);
    expect(await website.status()).toMatchObject({
      name: 'website',
      kind: 'live',
      lastSuccessAt: expect.any(Number),
      lastError: null,
      usable: true,
    });
  });

  it('is opened under www. where the bare name is not there', async () => {
    const { website } = await testSites({ 'www.sitio.cl/': HTML });
    expect((await website.open('sitio.cl')).entry).toMatchObject({ kind: 'page' });
  });

  it('is missing where neither name is in the DNS', async () => {
    const { website, asked } = await testSites({});
    expect((await website.open('sitio.cl')).entry).toEqual({ kind: 'no_such_name' });
    expect(asked).toEqual([]);
  });

  it('is opened at the very address of a URL', async () => {
    const { website, port, asked } = await testSites({ 'sitio.cl/x?y=1': HTML });
    const { entry } = await website.open(new URL(`http://sitio.cl:${port}/x?y=1`));
    expect(entry.kind === 'page' && entry.page.url.href).toBe(`http://sitio.cl:${port}/x?y=1`);
    expect(asked).toEqual(['sitio.cl/robots.txt', 'sitio.cl/x?y=1']);
  });

  it('gives headers as they came, each cookie by itself', async () => {
    const { website } = await testSites({
      'sitio.cl/': (_, response) =>
        response.writeHead(200, { 'Content-Type': 'text/html', 'Set-Cookie': ['a=1', 'b=2'], 'X-Powered-By': 'PHP' }).end(HTML),
    });
    const { entry } = await website.open('sitio.cl');
    expect(entry).toMatchObject({ page: { headers: { 'set-cookie': ['a=1', 'b=2'], 'x-powered-by': ['PHP'] } } });
  });

  it('says who we are', async () => {
    let agent = '';
    const { website } = await testSites({
      'sitio.cl/': ({ headers }, response) => {
        agent = headers['user-agent'] ?? '';
        response.writeHead(200, { 'content-type': 'text/html' }).end(HTML);
      },
    });
    await website.open('sitio.cl');
    expect(agent).toContain('Quipu/');
  });

  it('UP-05 is read in its own charset', async () => {
    const body = Buffer.from('<title>Vi\xf1a \xd1and\xfa</title>', 'latin1');
    const { website } = await testSites({ 'sitio.cl/': { headers: { 'content-type': 'text/html; charset=iso-8859-1' }, body } });
    expect((await website.open('sitio.cl')).entry).toMatchObject({ page: { html: '<title>Viña Ñandú</title>' } });
  });

  it('is cut at 2 MiB, once unpacked', async () => {
    const body = gzipSync(Buffer.alloc(8 * 1024 * 1024, ' '));
    const { website } = await testSites({ 'sitio.cl/': { headers: { 'content-encoding': 'gzip' }, body } });
    const { entry } = await website.open('sitio.cl');
    expect(entry).toMatchObject({ kind: 'page', page: { cut: true } });
    expect(entry.kind === 'page' && entry.page.html.length).toBe(2 * 1024 * 1024);
  });

  it.each([
    ['403', { status: 403 }, { kind: 'challenge', status: 403 }],
    ['429', { status: 429 }, { kind: 'challenge', status: 429 }],
    ['a wall that says so', { status: 200, headers: { 'cf-mitigated': 'challenge' } }, { kind: 'challenge', status: 200 }],
    ['a wall behind 503', { status: 503, body: '<title>Just a moment...</title>' }, { kind: 'challenge', status: 503 }],
    ['503', { status: 503, body: 'busy' }, { kind: 'status', status: 503 }],
    ['404', { status: 404 }, { kind: 'status', status: 404 }],
    ['a picture', { headers: { 'content-type': 'image/png' } }, { kind: 'not_html', status: 200 }],
  ])('answers %s and is told so', async (_, reply, outcome) => {
    const { website } = await testSites({ 'sitio.cl/': reply });
    expect((await website.open('sitio.cl')).entry).toMatchObject(outcome);
  });

  it.each([
    ['<!doctype html><p>x', 'page'],
    ['{"a":1}', 'not_html'],
  ])('without a type is what it begins like: %s', async (body, kind) => {
    const { website } = await testSites({ 'sitio.cl/': (_, response) => response.end(body) });
    expect((await website.open('sitio.cl')).entry).toMatchObject({ kind });
  });

  it('is unreachable when nobody answers, and the source says so', async () => {
    const { website } = await testSites({
      'sitio.cl/': ({ socket }) => socket.resetAndDestroy(),
      'sitio.cl/robots.txt': ({ socket }) => socket.resetAndDestroy(),
    });
    expect((await website.open('sitio.cl')).entry).toEqual({ kind: 'unreachable', reason: 'connection' });
    expect(await website.status()).toMatchObject({ lastError: 'connection', usable: true });
  });

  it('SS-05 is never dialled on a port or an address that the guard refuses', async () => {
    const { website, asked } = await testSites({ 'sitio.cl/': HTML });
    expect((await website.open(new URL('http://10.0.0.1/'))).entry).toEqual({ kind: 'unreachable', reason: 'blocked_destination' });
    expect((await website.open(new URL('ftp://sitio.cl/'))).entry).toEqual({ kind: 'unreachable', reason: 'bad_url' });
    expect(asked).toEqual([]);
  });
});

describe('the robots.txt of a website', () => {
  const text = (body: string) => ({ headers: { 'content-type': 'text/plain' }, body });

  it('is asked for once a visit and keeps us out of what it forbids', async () => {
    const { website, asked } = await testSites({
      'sitio.cl/robots.txt': text('User-agent: *\nDisallow: /privado'),
      'sitio.cl/': HTML,
      'sitio.cl/privado': HTML,
      'sitio.cl/contacto': HTML,
    });
    const site = await website.open('sitio.cl');
    expect(await site.page(new URL('http://sitio.cl/privado'))).toEqual({ kind: 'robots', url: new URL('http://sitio.cl/privado') });
    expect(await site.page(new URL('http://sitio.cl/contacto'))).toMatchObject({ kind: 'page' });
    expect(asked).toEqual(['sitio.cl/robots.txt', 'sitio.cl/', 'sitio.cl/contacto']);
  });

  it.each([
    ['everybody', 'User-agent: *\nDisallow: /', 'robots'],
    ['us by name', 'User-agent: quipu\nDisallow: /\n\nUser-agent: *\nAllow: /', 'robots'],
    ['others', 'User-agent: GPTBot\nDisallow: /', 'page'],
    ['everybody but us', 'User-agent: *\nDisallow: /\n\nUser-agent: Quipu\nAllow: /', 'page'],
    ['nobody, in HTML', '<html>not found</html>', 'page'],
  ])('may forbid the front page to %s', async (_, rules, kind) => {
    const { website } = await testSites({ 'sitio.cl/robots.txt': text(rules), 'sitio.cl/': HTML });
    expect((await website.open('sitio.cl')).entry).toMatchObject({ kind });
  });

  it.each([
    ['is missing', { status: 404 }, 'page'],
    ['is refused', { status: 403 }, 'page'],
    ['is in a circle of redirects', { status: 301, headers: { location: '/robots.txt' } }, 'page'],
    ['is in trouble', { status: 500 }, 'unreachable'],
  ])('that %s decides the visit', async (_, robots, kind) => {
    const { website } = await testSites({ 'sitio.cl/robots.txt': robots, 'sitio.cl/': HTML });
    expect((await website.open('sitio.cl')).entry).toMatchObject({ kind });
  });

  it('counts where a redirect leads, too', async () => {
    const { website } = await testSites({
      'sitio.cl/': { status: 301, headers: { location: 'http://otro.cl/' } },
      'otro.cl/': HTML,
      'otro.cl/robots.txt': text('User-agent: *\nDisallow: /'),
    });
    expect((await website.open('sitio.cl')).entry).toEqual({ kind: 'robots', url: new URL('http://otro.cl/') });
  });
});
