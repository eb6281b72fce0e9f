import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { getCACertificates, setDefaultCACertificates, type TlsOptions } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { canary, dnsOf, PRIVATE, PUBLIC } from '../../../sources/outbound/support.ts';
import { type DnsReply, dnsServer, SERVFAIL, soa, zoneReply } from '../../../support/dns-server.ts';
import type { SenderOptions } from './sender.ts';
import { receiver, setup, taxIdOf } from './support.ts';

const ODD = `http://2130706433/ http://0x7f000001/ http://0x7f.1/ http://0177.0.0.1/ http://0177.1/ http://127.1/ http://127.0.1/
http://0/ http://0x0/ http://017700000001/ http://①②⑦.⓪.⓪.①/ http://127。0。0。1/ http://127.0.0.1./ http://0300.0250.1.1/
http://3232235777/ http://0xa9fea9fe/ http://2852039166/ http://0251.0376.0251.0376/ http://[::1]/ http://[::]/
http://[::ffff:127.0.0.1]/ http://[::ffff:7f00:1]/ http://[0:0:0:0:0:ffff:a9fe:a9fe]/ http://[::127.0.0.1]/ http://[64:ff9b::7f00:1]/
http://[2002:7f00:1::]/ http:127.0.0.1/ http:///127.0.0.1/ http://127.0.0.1#@example.com/
http://169.254.169.254/latest/meta-data/ http://localhost/ http://LOCALHOST/ http://localhost./ http://foo.localhost/
http://user:pw@127.0.0.1/ http://example.com@127.0.0.1/ http://127.0.0.1%2f@example.com/ http://example.com:22/
http://example.com:5432/ http://example.com:0/ file:///etc/passwd gopher://127.0.0.1/ ftp://127.0.0.1/ javascript:alert(1)`.split(/\s+/);
const NO_URLS = ['http://[fe80::1%25eth0]/', '//127.0.0.1/', 'http://'];
const BY_DNS = ['http://metadata.google.internal/', 'http://127.0.0.1.nip.io/', 'http://example.com\\@127.0.0.1/'];
const LEADING_HOME = {
  'metadata.google.internal': [{ type: 'A' as const, data: '169.254.169.254' }],
  '127.0.0.1.nip.io': [{ type: 'A' as const, data: '127.0.0.1' }],
  'example.com': [{ type: 'A' as const, data: '127.0.0.1' }],
};
const PLAIN = { QUIPU_WEBHOOK_PLAIN_HTTP: 'true' };

/** Sends a delivery to each URL, which is written directly into the database. Returns the error of each attempt. */
async function sendTo(urls: readonly string[], options: SenderOptions) {
  const world = await setup(options);
  const { id } = await world.monitor('https://example.com/');
  const errors: string[] = [];
  for (const url of urls) {
    await world.db('webhook_endpoints').where({ id }).update({ url, failures: 0, failing_since: null });
    await world.change([taxIdOf(1)]);
    await world.drain();
    const { error } = await world
      .db('delivery_attempts as a')
      .join('deliveries as d', 'd.id', 'a.delivery_id')
      .orderBy('revision', 'desc')
      .first('error');
    errors.push(error);
  }
  return errors;
}

/** Starts a canary server that all ports lead to, and a name server whose names resolve to private addresses. */
async function trap() {
  const { port, contacts } = await canary();
  const names = await dnsServer(zoneReply(LEADING_HOME));
  const ports = new Map([80, 443, 22, 5432, 0].map((from) => [from, port]));
  return { contacts, options: { allow: [], dns: dnsOf(names.address), ports, settings: PLAIN } };
}

describe('SS-02 an unusual spelling of a private address', () => {
  it('in a stored monitor is blocked when the sender connects, and logged as an error code', async () => {
    const { contacts, options } = await trap();
    const urls = [...ODD, ...NO_URLS, ...BY_DNS];
    expect(urls).toHaveLength(50);
    const errors = await sendTo(urls, options);
    expect(new Set(errors)).toEqual(new Set(['blocked_destination', 'bad_url']));
    expect(errors.slice(-3)).toEqual(Array(3).fill('blocked_destination'));
    expect(contacts()).toBe(0);
  }, 60_000);

  it('is rejected when a monitor is created, with the same message for all blocked addresses', async () => {
    const { contacts, options } = await trap();
    const { checkTarget } = await setup(options);
    const said = await Promise.all(
      [...ODD, ...BY_DNS].map((text) =>
        checkTarget(new URL(text)).then(
          () => `${text} passed`,
          ({ code, message, facts }) => `${code} ${facts.field} ${message}`,
        ),
      ),
    );
    expect([...new Set(said)].sort()).toEqual([
      'INVALID_INPUT webhook_url The address must begin with https:// or http://.',
      'INVALID_INPUT webhook_url The address must not contain a user name or password.',
      'INVALID_INPUT webhook_url The port must be one of 80, 443, 8080, 8443.',
      'INVALID_INPUT webhook_url Webhooks cannot be sent to this address.',
    ]);
    expect(contacts()).toBe(0);
  });
});

describe('an address for webhooks', () => {
  const checked = async (settings: Readonly<Record<string, string>>, allow: readonly string[], reply: DnsReply, text: string) => {
    const names = await dnsServer(() => reply);
    const { checkTarget } = await setup({ settings, allow, dns: dnsOf(names.address) });
    return checkTarget(new URL(text)).then(
      () => 'passed',
      ({ message }: Error) => message,
    );
  };
  const leadsTo = (data: string): DnsReply => ({ answers: [{ type: 'A', name: 'a.cl', ttl: 60, data }] });
  const NOT_SAFE = 'The address must begin with https://.';

  it.each<[string, string, DnsReply, string]>([
    ['https to a public name', 'https://a.cl/', leadsTo('1.1.1.1'), 'passed'],
    ['https to a public address', 'https://1.1.1.1/', leadsTo('1.1.1.1'), 'passed'],
    ['http to a public name', 'http://a.cl/', leadsTo('1.1.1.1'), NOT_SAFE],
    ['http to a public address', 'http://1.1.1.1/', leadsTo('1.1.1.1'), NOT_SAFE],
    ['http to an allowed network', `http://${PUBLIC}:9999/`, leadsTo(PUBLIC), 'passed'],
    ['http to a name in an allowed network', 'http://a.cl:9999/', leadsTo(PUBLIC), 'passed'],
    ['https to a private network', 'https://a.cl/', leadsTo('10.0.0.1'), 'Webhooks cannot be sent to this address.'],
    ['https to a name without an address', 'https://a.cl/', { authorities: [soa(60)] }, 'passed'],
    ['https while no name server answers', 'https://a.cl/', { rcode: SERVFAIL }, 'passed'],
    ['http while no name server answers', 'http://a.cl/', { rcode: SERVFAIL }, NOT_SAFE],
  ])('that is %s: %s', async (_, text, reply, said) => {
    expect(await checked({}, [`${PUBLIC}/32`], reply, text)).toBe(said);
  });

  it('may use plain http when the setting allows it', async () => {
    expect(await checked(PLAIN, [], leadsTo('1.1.1.1'), 'http://a.cl/')).toBe('passed');
    expect(await checked(PLAIN, [], { rcode: SERVFAIL }, 'http://a.cl/')).toBe('passed');
  });

  it('with plain http to a public host is also rejected when the sender connects', async () => {
    const names = await dnsServer(() => leadsTo('1.1.1.1'));
    expect(await sendTo(['http://a.cl/', 'http://1.1.1.1/'], { allow: [], dns: dnsOf(names.address) })).toEqual(['bad_url', 'bad_url']);
  });
});

describe('SS-03 a hostile DNS answer', () => {
  it('cannot change the checked address: the sender resolves a name once per attempt and connects to that address', async () => {
    const { port, contacts } = await canary({ host: PRIVATE });
    const target = await receiver(undefined, { host: PUBLIC, port });
    const requested = new Map<string, number>();
    const names = await dnsServer(({ name, type }) => {
      if (type !== 'A') return { authorities: [soa(0)] };
      requested.set(name, (requested.get(name) ?? 0) + 1);
      return { answers: [{ type: 'A', name, ttl: 0, data: requested.get(name) === 1 ? PUBLIC : PRIVATE }] };
    });
    const urls = Array.from({ length: 50 }, (_, i) => `http://name-${i}.cl:${port}/`);
    expect(new Set(await sendTo(urls, { allow: [`${PUBLIC}/32`], dns: dnsOf(names.address) }))).toEqual(new Set([null]));
    expect(await sendTo(urls, { allow: [`${PUBLIC}/32`], dns: dnsOf(names.address) })).toEqual(Array(50).fill('blocked_destination'));
    expect([target.received.length, contacts(), new Set(requested.values())]).toEqual([50, 0, new Set([2])]);
  }, 60_000);

  it.each<[string, DnsReply, string]>([
    [
      'a private address among public ones',
      { answers: ['1.1.1.1', PRIVATE].map((data) => ({ type: 'A', name: 'a.cl', ttl: 60, data })) },
      'blocked_destination',
    ],
    [
      'an alias of localhost',
      {
        answers: [
          { type: 'CNAME', name: 'a.cl', data: 'localhost' },
          { type: 'A', name: 'localhost', ttl: 1, data: PRIVATE },
        ],
      },
      'blocked_destination',
    ],
    ['no address', { authorities: [soa(60)] }, 'no_such_name'],
    ['a failure', { rcode: SERVFAIL }, 'dns_failed'],
    ['silence', 'silence', 'dns_failed'],
  ])('that is %s fails the attempt', async (_, reply, error) => {
    const names = await dnsServer(() => reply);
    expect(await sendTo(['https://a.cl/'], { allow: [], dns: dnsOf(names.address) })).toEqual([error]);
  });
});

describe('SS-04 a receiver over TLS', () => {
  const pem = (name: string): string =>
    readFileSync(path.join(import.meta.dirname, '../../../sources/outbound/fixtures', `${name}.pem`), 'utf8');
  const usual = getCACertificates('default');
  beforeAll(() => setDefaultCACertificates([...usual, pem('ca')]));
  afterAll(() => setDefaultCACertificates(usual));

  it.each<[string, TlsOptions, string | null]>([
    ['right', { cert: pem('site') }, null],
    ['expired', { cert: pem('expired') }, 'tls'],
    ['signed by nobody', { cert: pem('self-signed') }, 'tls'],
    ['of another host', { cert: pem('other') }, 'tls'],
    ['under TLS 1.1', { cert: pem('site'), minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT@SECLEVEL=0' }, 'tls'],
  ])('is accepted only with a valid certificate: %s', async (_, options, error) => {
    let requested = 0;
    const server = createServer({ key: pem('key'), ...options }, (_, response) => {
      requested += 1;
      response.end();
    });
    onTestFinished(() => void server.close());
    await new Promise<void>((resolve) => server.listen(0, PUBLIC, resolve));
    const names = await dnsServer(zoneReply({ 'sitio.cl': [{ type: 'A', data: PUBLIC }] }));
    const url = `https://sitio.cl:${(server.address() as AddressInfo).port}/`;
    expect(await sendTo([url], { allow: [`${PUBLIC}/32`], dns: dnsOf(names.address) })).toEqual([error]);
    expect(requested).toBe(error === null ? 1 : 0);
  });
});
