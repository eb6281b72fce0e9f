import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { getCACertificates, setDefaultCACertificates, type TlsOptions } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { dnsServer, zoneReply } from '../../support/dns-server.ts';
import { connectionsOf, dnsOf, outbound, PUBLIC, site } from './support.ts';

/** Certificates of an authority that only this file trusts; all are for `key.pem`. */
const pem = (name: string): string => readFileSync(path.join(import.meta.dirname, 'fixtures', `${name}.pem`), 'utf8');
const key = pem('key');

const usual = getCACertificates('default');
beforeAll(() => setDefaultCACertificates([...usual, pem('ca')]));
afterAll(() => setDefaultCACertificates(usual));

/** A site over TLS, known as sitio.cl, and a client that may dial it. */
async function setup(options: TlsOptions) {
  const asked: (string | undefined)[] = [];
  const server = createServer({ key, ...options }, (request, response) => {
    asked.push(request.url);
    response.end('hello');
  });
  server.on('tlsClientError', () => undefined);
  const open = connectionsOf(server);
  onTestFinished(() => void server.close());
  await once(server.listen(0, PUBLIC), 'listening');
  const names = await dnsServer(zoneReply({ 'sitio.cl': [{ type: 'A', data: PUBLIC }] }));
  const { port } = server.address() as AddressInfo;
  return { ...outbound({ dns: dnsOf(names.address) }), port, asked, open };
}

describe('SS-04 a certificate', () => {
  it('that is right lets a site be read, by name or by address', async () => {
    const { get, port, open } = await setup({ cert: pem('site') });
    expect((await get(`https://sitio.cl:${port}/`)).body.toString()).toBe('hello');
    expect((await get(`https://${PUBLIC}:${port}/`)).body.toString()).toBe('hello');
    await expect.poll(() => open.size).toBe(0);
  });

  it.each<[string, TlsOptions]>([
    ['expired', { cert: pem('expired') }],
    ['signed by nobody', { cert: pem('self-signed') }],
    ['of another host', { cert: pem('other') }],
    ['under TLS 1.1', { cert: pem('site'), minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }],
    ['under TLS 1.0', { cert: pem('site'), minVersion: 'TLSv1', maxVersion: 'TLSv1', ciphers: 'DEFAULT@SECLEVEL=0' }],
  ])('that is %s ends the request before it is sent, and the connection', async (_, options) => {
    const { kindOf, port, asked, open } = await setup(options);
    expect(await kindOf(`https://sitio.cl:${port}/secret`)).toBe('tls');
    expect(asked).toEqual([]);
    await expect.poll(() => open.size).toBe(0);
  });

  it('is missing where plain http answers', async () => {
    const { port } = await site((_, response) => void response.end());
    expect(await outbound().kindOf(`https://${PUBLIC}:${port}/`)).toBe('tls');
  });
});

describe('SS-04 the headers of a request', () => {
  it('are those of the documented list', async () => {
    const { url, asked } = await site((_, response) => void response.end());
    await outbound().get(url);
    expect(asked[0]?.headers).toEqual({
      host: url.replace('http://', ''),
      connection: 'close',
      'user-agent': expect.stringContaining('Quipu'),
      accept: 'text/html,application/xhtml+xml,*/*;q=0.8',
      'accept-encoding': 'gzip, deflate, br',
    });
  });

  it('and those given, but never cookies, keys or what the connection says', async () => {
    const { url, asked } = await site((_, response) => void response.end());
    const headers = {
      Accept: 'application/json',
      'X-Mark': '1',
      Cookie: 'a=b',
      Authorization: 'Basic x',
      'X-API-Key': 'sk_x',
      Host: 'bank.cl',
    };
    await outbound().get(url, { method: 'POST', body: 'ñ', headers });
    expect(asked[0]?.method).toBe('POST');
    expect(Object.keys(asked[0]?.headers ?? {}).sort()).toEqual(
      ['accept', 'accept-encoding', 'connection', 'content-length', 'host', 'user-agent', 'x-mark'].sort(),
    );
    expect(asked[0]?.headers).toMatchObject({ accept: 'application/json', host: url.replace('http://', ''), 'content-length': '2' });
  });
});
