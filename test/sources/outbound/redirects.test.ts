import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { dnsServer, zoneReply } from '../../support/dns-server.ts';
import { dnsOf, outbound, PRIVATE, PUBLIC, site, siteBesideCanary } from './support.ts';

/** A site whose `/to?<where>` redirects there and whose other pages say what was asked of them. */
const redirecting: RequestListener = (request, response) => {
  const { pathname, search } = new URL(request.url ?? '/', 'http://site');
  const [status = '302', ...where] = decodeURIComponent(search.slice(1)).split(' ');
  if (pathname === '/to') response.writeHead(Number(status), { location: where.join(' '), 'content-encoding': 'gzip' }).end();
  else response.end(`${request.method} ${pathname}${search}`);
};
const to = (where: string, status = 302): string => `/to?${encodeURIComponent(`${status} ${where}`)}`;

async function setup() {
  const here = await siteBesideCanary(redirecting);
  const names = await dnsServer(
    zoneReply({
      'a.cl': [{ type: 'A', data: PUBLIC }],
      'b.cl': [{ type: 'A', data: PUBLIC }],
      'inside.cl': [{ type: 'A', data: PRIVATE }],
    }),
  );
  const client = outbound({ dns: dnsOf(names.address) });
  return { ...client, ...here, names, a: `http://a.cl:${here.port}`, b: `http://b.cl:${here.port}` };
}

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('of status %d is followed, and the answer says where it came from', async (status) => {
    const { get, a } = await setup();
    const answer = await get(a + to('/end', status));
    expect([answer.body.toString(), answer.url.href]).toEqual(['GET /end', `${a}/end`]);
  });

  it('may name its place in UTF-8 or in Latin-1', async () => {
    const { get, a } = await setup();
    const utf8 = Buffer.from('/página').toString('latin1'); // Node sends headers as Latin-1
    expect((await get(a + to(utf8))).body.toString()).toBe('GET /p%C3%A1gina');
    expect((await get(a + to('/página'))).body.toString()).toBe('GET /p%C3%A1gina');
  });

  it('is followed three times, or as often as asked, and not once more', async () => {
    const { get, kindOf, a } = await setup();
    const chain = (length: number): string => (length === 0 ? '/end' : to(chain(length - 1)));
    expect((await get(a + chain(3))).body.toString()).toBe('GET /end');
    expect(await kindOf(a + chain(4))).toBe('redirects');
    expect(await kindOf(a + chain(4), { maxRedirects: 4 })).toBe('answered 200');
  });

  it('is the answer where none is to be followed, or where it names no place', async () => {
    const { get, a, asked } = await setup();
    const answer = await get(a + to('/end'), { maxRedirects: 0 });
    expect([answer.status, answer.headers.location, answer.body.length, asked.length]).toEqual([302, ['/end'], 0, 1]);
    const blank = await site((_, response) => void response.writeHead(302).end('no place'));
    expect((await get(blank.url)).body.toString()).toBe('no place');
  });

  it.each([
    ['an address of our network', (port: number) => `http://${PRIVATE}:${port}/`, 'blocked_destination'],
    ['the metadata of a cloud', () => 'http://169.254.169.254/latest/meta-data/', 'blocked_destination'],
    ['a name that leads into our network', (port: number) => `http://inside.cl:${port}/`, 'blocked_destination'],
    ['localhost', (port: number) => `http://localhost:${port}/`, 'blocked_destination'],
    ['an odd spelling of it', (port: number) => `//0x7f.1:${port}/`, 'blocked_destination'],
    ['a port of a public address', () => 'http://1.1.1.1:22/', 'redirects'],
    ['a file', () => 'file:///etc/passwd', 'redirects'],
    ['another scheme', () => 'gopher://a.cl/', 'redirects'],
    ['a login', () => 'http://user:pw@a.cl/', 'redirects'],
    ['nowhere', () => 'http://', 'redirects'],
  ])('to %s is not followed', async (_, where, kind) => {
    const { kindOf, a, port, contacts } = await setup();
    expect(await kindOf(a + to(where(port)))).toBe(kind);
    expect(contacts()).toBe(0);
  });

  it('to another host looks that name up, and leaves the headers behind', async () => {
    const { get, a, b, asked, names } = await setup();
    await get(a + to(`${b}/end`), { headers: { 'x-mark': '1' } });
    await get(a + to('/end'), { headers: { 'x-mark': '2' } });
    expect(asked.map(({ headers }) => [headers.host?.split(':')[0], headers['x-mark']])).toEqual([
      ['a.cl', '1'],
      ['b.cl', undefined],
      ['a.cl', '2'],
      ['a.cl', '2'],
    ]);
    expect(names.asked.filter(({ type }) => type === 'A').map(({ name }) => name)).toEqual(['a.cl', 'b.cl', 'a.cl', 'a.cl']);
  });

  it.each([
    [302, '/end', 'GET /end'],
    [303, '/end', 'GET /end'],
    [307, '/end', 'POST /end'],
    [308, '/end', 'POST /end'],
  ])('of a POST with status %d to %s becomes %s', async (status, where, said) => {
    const { get, a } = await setup();
    expect((await get(a + to(where, status), { method: 'POST', body: '{}' })).body.toString()).toBe(said);
  });

  it('never passes a body on to another host', async () => {
    const { kindOf, a, b, asked } = await setup();
    expect(await kindOf(a + to(`${b}/end`, 307), { method: 'POST', body: '{}' })).toBe('redirects');
    expect(asked).toHaveLength(1);
  });

  it('keeps no cookie', async () => {
    const { url, asked } = await site((request, response) =>
      request.url === '/' ? void response.writeHead(302, { location: '/end', 'set-cookie': 'a=b' }).end() : void response.end(),
    );
    await outbound().get(url);
    expect(asked.map(({ headers }) => headers.cookie)).toEqual([undefined, undefined]);
  });
});
