import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { dnsServer, SERVFAIL, zoneReply } from '../../support/dns-server.ts';
import { dnsOf, outbound, PRIVATE, PUBLIC, site } from './support.ts';

const HEAD_ONLY = { reading: 'head', maxBytes: 10 } as const;
const packed = gzipSync('hello');

describe('a response of which only the head is read', () => {
  it.each<[string, RequestListener, Buffer, boolean]>([
    ['short', (_, response) => void response.end('hello'), Buffer.from('hello'), false],
    ['too large', (_, response) => void response.end('x'.repeat(1_000)), Buffer.alloc(10, 'x'), true],
    ['packed', (_, response) => void response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed), packed.subarray(0, 10), true],
    [
      'packed in a way of its own',
      (_, response) => void response.writeHead(200, { 'content-encoding': 'zip9' }).end('x'),
      Buffer.from('x'),
      false,
    ],
    ['never whole', (_, response) => void response.writeHead(200).write('half'), Buffer.from('half'), false],
    [
      'broken off',
      ({ socket }, response) => void response.writeHead(200).write('half', () => setTimeout(() => socket.resetAndDestroy(), 20)),
      Buffer.from('half'),
      false,
    ],
    ['without a body', (_, response) => response.writeHead(200).flushHeaders(), Buffer.alloc(0), false],
  ])('is its headers, whatever its body is: %s', async (_, answer, body, cut) => {
    const { url, open } = await site(answer);
    expect(await outbound().get(url, HEAD_ONLY)).toMatchObject({ status: 200, body, cut });
    await expect.poll(open).toBe(0);
  });

  it('has a deadline for its headers, and none once they came', async () => {
    const { url } = await site(({ url: path }, response) => {
      if (path === '/headers') response.writeHead(200).flushHeaders();
    });
    const { get, kindOf } = outbound();
    expect(await kindOf(`${url}/nothing`, { ...HEAD_ONLY, deadlineMs: 150 })).toBe('timeout');
    const { status, latencyMs } = await get(`${url}/headers`, { ...HEAD_ONLY, deadlineMs: 150 });
    expect(status).toBe(200);
    expect(latencyMs).toBeLessThan(150); // the wait for a body does not count
  });

  it('is the redirect itself where none is followed', async () => {
    const { url, asked } = await site((_, response) => void response.writeHead(302, { location: '/next' }).end());
    expect(await outbound().get(url, { ...HEAD_ONLY, maxRedirects: 0 })).toMatchObject({ status: 302 });
    expect(asked).toHaveLength(1);
  });
});

describe('plain http', () => {
  const names = zoneReply({
    'public.cl': [{ type: 'A', data: '1.1.1.1' }],
    'allowed.cl': [{ type: 'A', data: PUBLIC }],
    'inside.cl': [{ type: 'A', data: PRIVATE }],
    'mixed.cl': [
      { type: 'A', data: PUBLIC },
      { type: 'A', data: '1.1.1.1' },
    ],
  });
  const admitted = async (url: string, publicHttp?: boolean) => {
    const { address } = await dnsServer((question) => (question.name === 'broken.cl' ? { rcode: SERVFAIL } : names(question)));
    const { client } = outbound({ dns: dnsOf(address) });
    return client.admit(new URL(url), { publicHttp }).then(
      () => 'admitted',
      ({ kind }) => kind,
    );
  };

  it.each([
    ['http://public.cl/', 'bad_url', 'admitted'],
    ['http://1.1.1.1/', 'bad_url', 'admitted'],
    ['https://public.cl/', 'admitted', 'admitted'],
    ['http://allowed.cl:81/', 'admitted', 'admitted'],
    [`http://${PUBLIC}:81/`, 'admitted', 'admitted'],
    ['http://inside.cl/', 'blocked_destination', 'blocked_destination'],
    ['http://nowhere.cl/', 'no_such_name', 'no_such_name'],
    ['http://broken.cl/', 'dns_failed', 'dns_failed'],
  ])('to %s is %s where it is not for the public, else %s', async (url, strict, free) => {
    expect([await admitted(url, false), await admitted(url)]).toEqual([strict, free]);
  });

  it('to a name with a public address beside an allowed one is refused where it is not for the public', async () => {
    expect([await admitted('http://mixed.cl/', false), await admitted('http://mixed.cl/')]).toEqual(['bad_url', 'admitted']);
  });

  it('is refused when dialled, too', async () => {
    const { address } = await dnsServer(names);
    expect(await outbound({ dns: dnsOf(address) }).kindOf('http://public.cl/', { publicHttp: false })).toBe('bad_url');
  });
});
