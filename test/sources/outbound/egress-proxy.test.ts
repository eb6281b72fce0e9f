import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { readEgressProxy } from '../../../src/sources/outbound/egress-proxy.ts';
import { connectProxy } from '../../support/connect-proxy.ts';
import { dnsServer, zoneReply } from '../../support/dns-server.ts';
import { dnsOf, listener, outbound, PRIVATE, PUBLIC, site } from './support.ts';

const CREDENTIALS = 'quipu:p@ss/word';

/** A proxy, a site, and a client that knows both: sitio.cl is the site, interno.cl leads to our own network. */
async function setup(options: Parameters<typeof connectProxy>[0] = {}) {
  const proxy = await connectProxy(options);
  const names = await dnsServer(zoneReply({ 'sitio.cl': [{ type: 'A', data: PUBLIC }], 'interno.cl': [{ type: 'A', data: PRIVATE }] }));
  const target = await site((_, response) => void response.end('hello'));
  return { proxy, target, ...outbound({ dns: dnsOf(names.address), proxy: readEgressProxy(proxy.url) }) };
}

describe('SS-07 a request through an egress proxy', () => {
  it.each([
    ['without credentials', {}],
    ['with credentials', { credentials: CREDENTIALS }],
  ])('%s reaches the site by CONNECT to the address that was resolved and checked', async (_, options) => {
    const { proxy, target, get } = await setup(options);
    for (const host of ['sitio.cl', PUBLIC]) {
      expect((await get(`http://${host}:${target.port}/page`)).body.toString()).toBe('hello');
    }
    expect(proxy.tunnels).toEqual(Array(2).fill(`${PUBLIC}:${target.port}`));
    expect(target.asked.map(({ headers }) => headers.host)).toEqual([`sitio.cl:${target.port}`, `${PUBLIC}:${target.port}`]);
  });

  it('takes a tunnel of its own for each redirect', async () => {
    const { proxy, get } = await setup();
    const target = await site((request, response) =>
      request.url === '/' ? response.writeHead(302, { location: '/next' }).end() : response.end('next'),
    );
    expect((await get(`${target.url}/`)).body.toString()).toBe('next');
    expect(proxy.tunnels).toHaveLength(2);
  });

  it('shows the site no header of the proxy, and the log no password', async () => {
    const { target, get, lines, kindOf } = await setup({ credentials: CREDENTIALS });
    await get(`${target.url}/`);
    expect(Object.keys(target.asked[0]?.headers ?? {}).filter((name) => name.startsWith('proxy-'))).toEqual([]);
    await kindOf('http://interno.cl/');
    const wrong = await setup({ credentials: CREDENTIALS });
    const refused = outbound({ proxy: readEgressProxy(wrong.proxy.url.replace('quipu', 'other')) });
    expect(await refused.kindOf(`${wrong.target.url}/`)).toBe('proxy_failed');
    const logged = JSON.stringify([lines, refused.lines]);
    expect(logged).toContain('the egress proxy answered 407');
    for (const secret of ['p@ss', 'p%40ss', Buffer.from(CREDENTIALS).toString('base64').slice(-12)]) expect(logged).not.toContain(secret);
  });

  it('to an address that is not public does not reach the proxy', async () => {
    const { proxy, kindOf } = await setup();
    for (const url of ['http://interno.cl/', `http://${PRIVATE}/`, 'http://169.254.169.254/', 'http://localhost/']) {
      expect(await kindOf(url)).toBe('blocked_destination');
    }
    expect(proxy.tunnels).toEqual([]);
  });
});

describe('SS-07 a certificate behind an egress proxy', () => {
  const pem = (name: string): string => readFileSync(path.join(import.meta.dirname, 'fixtures', `${name}.pem`), 'utf8');
  const usual = getCACertificates('default');
  beforeAll(() => setDefaultCACertificates([...usual, pem('ca')]));
  afterAll(() => setDefaultCACertificates(usual));

  it.each([
    ['of the site lets it be read', 'site', 'answered 200'],
    ['of another host ends the request', 'other', 'tls'],
  ])('%s', async (_, cert, expected) => {
    const { proxy, kindOf } = await setup();
    const server = createServer({ key: pem('key'), cert: pem(cert) }, (_, response) => response.end('hello'));
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, PUBLIC, resolve));
    const { port } = server.address() as AddressInfo;
    expect(await kindOf(`https://sitio.cl:${port}/`)).toBe(expected);
    expect(proxy.tunnels).toEqual([`${PUBLIC}:${port}`]);
  });
});

describe('SS-07 an egress proxy', () => {
  it('that is stopped fails the request, and nothing goes around it', async () => {
    const { proxy, target, kindOf } = await setup();
    await proxy.stop();
    expect(await kindOf(`${target.url}/`)).toBe('proxy_failed');
    expect(target.asked).toEqual([]);
    await proxy.start();
    expect(await kindOf(`${target.url}/`)).toBe('answered 200');
  });

  it.each([
    ['closes the connection', null, 'proxy_failed'],
    ['speaks no HTTP', 'SSH-2.0-OpenSSH_9.9\r\n', 'proxy_failed'],
    ['sends 1 MB of headers', `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(1_000_000)}\r\n\r\n`, 'proxy_failed'],
    ['answers 407', 'HTTP/1.1 407 Proxy Authentication Required\r\n\r\n', 'proxy_failed'],
    ['answers 500', 'HTTP/1.1 500 Internal Server Error\r\n\r\n', 'proxy_failed'],
    ['answers 502', 'HTTP/1.1 502 Bad Gateway\r\n\r\n', 'connection'],
    ['answers 504', 'HTTP/1.1 504 Gateway Timeout\r\n\r\n', 'connection'],
    ['answers 403', 'HTTP/1.1 403 Forbidden\r\n\r\n', 'blocked_destination'],
  ])('that %s is told from a site that fails', async (_, instead, expected) => {
    const { target, kindOf } = await setup({ instead });
    expect(await kindOf(`${target.url}/`)).toBe(expected);
    expect(target.asked).toEqual([]);
  });

  it('that reaches the site only by its second address is asked for both', async () => {
    const names = await dnsServer(
      zoneReply({
        'dos.cl': [
          { type: 'A', data: '127.0.0.3' },
          { type: 'A', data: PUBLIC },
        ],
      }),
    );
    const proxy = await connectProxy();
    const target = await site((_, response) => void response.end());
    const { kindOf } = outbound({ dns: dnsOf(names.address), allow: ['127.0.0.2/31'], proxy: readEgressProxy(proxy.url) });
    expect(await kindOf(`http://dos.cl:${target.port}/`)).toBe('answered 200');
  });

  it('that does not answer CONNECT counts as a site that does not answer', async () => {
    const silent = await listener((socket) => void socket.resume(), { host: '127.0.0.1' });
    const { kindOf } = outbound({ proxy: readEgressProxy(`http://127.0.0.1:${silent.port}`) });
    expect(await kindOf(`http://${PUBLIC}/`, { deadlineMs: 8_000 })).toBe('connection');
    await expect.poll(silent.open).toBe(0);
  });
});
