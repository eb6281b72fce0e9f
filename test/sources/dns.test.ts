import type { Answer } from 'dns-packet';
import { describe, expect, it } from 'vitest';
import { createDns } from '../../src/sources/dns/client.ts';
import { type DnsReply, dnsServer, NXDOMAIN, REFUSED, SERVFAIL, soa, zoneReply } from '../support/dns-server.ts';
import { memoryLog } from '../support/log.ts';

const ask = (...servers: string[]) => createDns({ servers, now: Date.now, log: memoryLog().log });
const a = (name: string, data: string, ttl = 60): Answer => ({ type: 'A', name, ttl, data });
const cname = (name: string, data: string, ttl = 60): Answer => ({ type: 'CNAME', name, ttl, data });

/** Creates a client and its only name server. */
async function setup(reply: Parameters<typeof dnsServer>[0]) {
  const server = await dnsServer(reply);
  return { server, dns: ask(server.address) };
}

describe('an answer of a name server', () => {
  it('gives the mail servers in lower case, in the order sent', async () => {
    const { dns, server } = await setup(
      zoneReply({
        'empresa.cl': [
          { type: 'MX', data: { preference: 20, exchange: 'MX2.Empresa.CL' }, ttl: 600 },
          { type: 'MX', data: { preference: 10, exchange: 'mx1.empresa.cl' }, ttl: 300 },
        ],
      }),
    );
    expect(await dns.mx('Empresa.CL.')).toEqual({
      status: 'found',
      records: [
        { exchange: 'mx2.empresa.cl', preference: 20 },
        { exchange: 'mx1.empresa.cl', preference: 10 },
      ],
      ttlMs: 300_000,
    });
    expect(server.asked).toEqual([{ name: 'empresa.cl', type: 'MX', via: 'udp' }]);
  });

  it('gives a null MX as a record with an empty host', async () => {
    const { dns } = await setup(zoneReply({ 'sin-correo.cl': [{ type: 'MX', data: { preference: 0, exchange: '.' } }] }));
    expect((await dns.mx('sin-correo.cl')).records).toEqual([{ exchange: '', preference: 0 }]);
  });

  it('gives texts with their strings joined, and name servers', async () => {
    const { dns } = await setup(
      zoneReply({
        'empresa.cl': [
          { type: 'TXT', data: ['v=spf1 include:_spf.google.com', ' ~all'] },
          { type: 'TXT', data: 'ñandú' },
          { type: 'NS', data: 'NS1.nic.cl' },
        ],
      }),
    );
    expect((await dns.txt('empresa.cl')).records).toEqual(['v=spf1 include:_spf.google.com ~all', 'ñandú']);
    expect((await dns.ns('empresa.cl')).records).toEqual(['ns1.nic.cl']);
  });

  it('gives IPv4 and IPv6 addresses', async () => {
    const { dns } = await setup(
      zoneReply({
        'both.cl': [
          { type: 'AAAA', data: '2606:4700::1111', ttl: 30 },
          { type: 'A', data: '1.1.1.1' },
        ],
        'six.cl': [{ type: 'AAAA', data: '2606:4700::1111' }],
        'mail.cl': [{ type: 'MX', data: { preference: 1, exchange: 'mx.cl' } }],
      }),
    );
    expect(await dns.addresses('both.cl')).toEqual({ status: 'found', records: ['1.1.1.1', '2606:4700::1111'], ttlMs: 30_000 });
    expect(await dns.addresses('six.cl')).toEqual({ status: 'found', records: ['2606:4700::1111'], ttlMs: 3_600_000 });
    expect(await dns.addresses('mail.cl')).toEqual({ status: 'no_data', records: [], ttlMs: 300_000 });
    expect(await dns.addresses('nobody.cl')).toEqual({ status: 'no_name', records: [], ttlMs: 300_000 });
  });

  it('distinguishes a missing name from missing records, with the time that each may be cached', async () => {
    const { dns } = await setup(zoneReply({ 'empresa.cl': [{ type: 'A', data: '1.1.1.1' }] }));
    expect(await dns.mx('empresa.cl')).toEqual({ status: 'no_data', records: [], ttlMs: 300_000 });
    expect(await dns.mx('nadie.cl')).toEqual({ status: 'no_name', records: [], ttlMs: 300_000 });
  });

  it('may not be cached when an absence has no SOA, or a TTL is invalid', async () => {
    const { dns } = await setup(({ name }) =>
      name === 'old.cl' ? { answers: [a('old.cl', '1.1.1.1', 0x8000_0000)] } : { rcode: NXDOMAIN },
    );
    expect(await dns.mx('nadie.cl')).toEqual({ status: 'no_name', records: [], ttlMs: 0 });
    expect((await dns.addresses('old.cl')).ttlMs).toBe(0);
  });
});

describe('aliases', () => {
  it('are followed inside an answer, and limit its TTL', async () => {
    const { dns, server } = await setup(({ name, type }) =>
      type === 'A'
        ? {
            answers: [
              cname(name, 'Site.CDN.net', 20),
              cname('site.cdn.net', 'edge.cdn.net'),
              a('edge.cdn.net', '1.1.1.1'),
              a('else.net', '9.9.9.9'),
            ],
          }
        : { answers: [cname(name, 'site.cdn.net')], authorities: [soa(10)] },
    );
    expect(await dns.addresses('www.empresa.cl')).toEqual({ status: 'found', records: ['1.1.1.1'], ttlMs: 20_000 });
    expect(server.asked).toHaveLength(2);
  });

  it('are queried when the answer has only the alias', async () => {
    const { dns, server } = await setup(({ name }) =>
      name === 'edge.cdn.net'
        ? { answers: [{ type: 'MX', name, ttl: 90, data: { preference: 5, exchange: 'mx.cdn.net' } }] }
        : { answers: [cname(name, 'edge.cdn.net', 30)] },
    );
    expect(await dns.mx('empresa.cl')).toEqual({ status: 'found', records: [{ exchange: 'mx.cdn.net', preference: 5 }], ttlMs: 30_000 });
    expect(server.asked.map(({ name }) => name)).toEqual(['empresa.cl', 'edge.cdn.net']);
  });

  it('to a missing name give no_name', async () => {
    const { dns } = await setup(({ name }) => ({ rcode: NXDOMAIN, answers: [cname(name, 'gone.net')], authorities: [soa(120)] }));
    expect(await dns.mx('empresa.cl')).toEqual({ status: 'no_name', records: [], ttlMs: 60_000 });
  });

  it('in a cycle, or more than the limit, are a failure', async () => {
    const { dns } = await setup(({ name }, nth) =>
      name.startsWith('circle')
        ? { answers: [cname(name, 'other.net'), cname('other.net', name)] }
        : { answers: [cname(name, `next-${nth}.net`)] },
    );
    await expect(dns.mx('circle.net')).rejects.toMatchObject({ kind: 'malformed' });
    await expect(dns.mx('chain.net')).rejects.toMatchObject({ kind: 'malformed' });
  });
});

describe('a query', () => {
  it('is repeated over TCP when the answer is truncated', async () => {
    const texts = Array.from(
      { length: 80 },
      (_, i): Answer => ({ type: 'TXT', name: 'big.cl', ttl: 60, data: `text ${i} ${'x'.repeat(200)}` }),
    );
    const { dns, server } = await setup(({ via }) =>
      via === 'udp' ? { truncated: true, answers: texts.slice(0, 2) } : { answers: texts },
    );
    expect((await dns.txt('big.cl')).records).toHaveLength(80);
    expect(server.asked.map(({ via }) => via)).toEqual(['udp', 'tcp']);
  });

  it('goes to the next server when one is down, refuses, fails or sends garbage', async () => {
    const good = await dnsServer(zoneReply({ 'empresa.cl': [{ type: 'TXT', data: 'here' }] }));
    for (const reply of [
      { rcode: REFUSED },
      { rcode: SERVFAIL },
      { rcode: 1 },
      Buffer.from('garbage, garbage'),
      Buffer.alloc(10),
      { type: 'query' },
    ] as DnsReply[]) {
      const bad = await dnsServer(() => reply);
      expect((await ask(bad.address, good.address).txt('empresa.cl')).records).toEqual(['here']);
      expect(bad.asked).toHaveLength(1);
    }
    expect((await ask('127.0.0.1:1', good.address).txt('empresa.cl')).records).toEqual(['here']);
  });

  it('is sent twice to a single server', async () => {
    const { dns } = await setup((_, nth) =>
      nth === 1 ? { rcode: SERVFAIL } : { answers: [{ type: 'TXT', name: 'a.cl', ttl: 1, data: 'here' }] },
    );
    expect((await dns.txt('a.cl')).records).toEqual(['here']);
  });

  it('is never sent for an invalid name', async () => {
    const { dns, server } = await setup(() => ({}));
    for (const name of ['', 'a..cl', '.cl', `${'x'.repeat(64)}.cl`, `${'abcd.'.repeat(60)}cl`, 'ñandu.cl', 'a b.cl']) {
      await expect(dns.mx(name)).rejects.toMatchObject({ name: 'DnsFailure', kind: 'bad_name' });
    }
    expect(server.asked).toEqual([]);
  });

  it('uses the servers of the operating system when none is configured', async () => {
    const outcome = await ask()
      .addresses('localhost.invalid')
      .then(
        ({ status }) => status,
        ({ name }) => name,
      );
    expect(outcome).not.toBe('found');
  });
});
