import { describe, expect, it, vi } from 'vitest';
import { createLoaders } from '../../../src/loaders/loader.ts';
import { mailRouteLoader } from '../../../src/modules/validate/loader.ts';
import { createDns } from '../../../src/sources/dns/client.ts';
import { DnsFailure } from '../../../src/sources/dns/dns.ts';
import { dns as dnsSource } from '../../../src/sources/dns-source.ts';
import type { SourceDeps, Use } from '../../../src/sources/source.ts';
import {
  type DnsQuestion,
  type DnsReply,
  dnsServer,
  NXDOMAIN,
  REFUSED,
  SERVFAIL,
  soa,
  type TestDns,
  zoneReply,
} from '../../support/dns-server.ts';
import { memoryLog } from '../../support/log.ts';
import { withOwnTimers } from '../../support/own-timers.ts';
import { sampleJson } from '../../support/samples.ts';

type Zone = Parameters<typeof zoneReply>[0];
const mx = (preference: number, exchange: string, ttl?: number) =>
  ({ type: 'MX', data: { preference, exchange }, ...(ttl !== undefined && { ttl }) }) as const;
const a = (data: string, ttl?: number) => ({ type: 'A', data, ...(ttl !== undefined && { ttl }) }) as const;

/** The source with one name server and an adjustable clock. */
function sourceOver({ address }: TestDns) {
  const clock = { ms: 1_000_000 };
  const now = () => clock.ms;
  const dns = createDns({ servers: [address], now, log: memoryLog().log });
  const source = dnsSource.create({ dns } as SourceDeps);
  const loaders = createLoaders((() => source) as unknown as Use, now);
  return { source, clock, route: (domain: string) => loaders.scope()(mailRouteLoader, domain) };
}

/** A zone in which every mail server that has no records of its own has a public address. */
function withMailServers(zone: Zone): Zone {
  const hosts = Object.values(zone).flatMap((records) =>
    records.flatMap((one) => (one.type === 'MX' ? one.data.exchange.toLowerCase().replace(/\.$/, '') : [])),
  );
  return { ...Object.fromEntries(hosts.filter((host) => host !== '.').map((host) => [host, [a('200.1.2.3', 86_400)]])), ...zone };
}

const overZone = async (zone: Zone) => sourceOver(await dnsServer(zoneReply(zone)));
const verdict = async (zone: Zone, domain = 'a.cl') => {
  const { value } = await (await overZone(zone)).route(domain);
  return { hosts: value.servers.map(({ host }) => host), fallback: value.fallback, reason: value.reason };
};
const none = (reason: string) => ({ hosts: [], fallback: false, reason });

describe('the mail route', () => {
  it('lists the mail servers by preference, then by name', async () => {
    const zone = { 'a.cl': [mx(20, 'b.a.cl'), mx(5, 'Z.a.cl'), mx(5, 'c.a.cl')] };
    expect(await verdict(withMailServers(zone))).toEqual({ hosts: ['c.a.cl', 'z.a.cl', 'b.a.cl'], fallback: false, reason: null });
  });

  it.each([
    ['an address', { 'a.cl': [a('200.1.2.3')] }],
    ['an IPv6 address', { 'a.cl': [{ type: 'AAAA', data: '2800::1' }] }],
    ['a private address beside a public one', { 'a.cl': [a('10.0.0.1'), a('200.1.2.3')] }],
    ['an address and a policy on who sends', { 'a.cl': [a('200.1.2.3'), { type: 'TXT', data: 'v=spf1 mx -all' }] }],
  ] as const)('falls back to the domain itself where it has no mail server but %s', async (_, zone) => {
    expect(await verdict(zone as Zone)).toEqual({ hosts: ['a.cl'], fallback: true, reason: null });
  });

  it.each([
    ['the name does not exist', { 'b.cl': [a('200.1.2.3')] }, 'no_such_domain'],
    ['it says so (null MX), whatever its address', { 'a.cl': [mx(0, '.'), a('200.1.2.3')] }, 'refuses_mail'],
    ['it has neither mail server nor address', { 'a.cl': [{ type: 'TXT', data: 'x' }] }, 'no_mail_server'],
    ['its mail server is an IP address', { 'a.cl': [mx(10, '200.1.2.3'), a('200.1.2.3')] }, 'no_mail_server'],
    ['its mail server is this host', { 'a.cl': [mx(10, 'localhost'), a('200.1.2.3')] }, 'no_mail_server'],
    ['its address is loopback', { 'a.cl': [a('127.0.0.1')] }, 'private_address'],
    [
      'its addresses are private',
      { 'a.cl': [a('10.1.2.3'), { type: 'AAAA', data: 'fd00::1' }, { type: 'AAAA', data: '::ffff:192.168.0.1' }] },
      'private_address',
    ],
    ['it says by SPF that it sends none', { 'a.cl': [a('200.1.2.3'), { type: 'TXT', data: 'V=SPF1 -all' }] }, 'sends_no_mail'],
  ] as const)('is none where %s', async (_, zone, reason) => {
    expect(await verdict(zone as Zone)).toEqual(none(reason));
  });

  it('follows an alias, and rejects one without a target', async () => {
    const zone: Zone = {
      'a.cl': [{ type: 'CNAME', data: 'b.cl' }],
      'b.cl': [mx(10, 'mx.b.cl')],
      'c.cl': [{ type: 'CNAME', data: 'd.cl' }],
    };
    expect(await verdict(withMailServers(zone))).toMatchObject({ hosts: ['mx.b.cl'], reason: null });
    expect(await verdict(zone, 'c.cl')).toEqual(none('no_such_domain'));
  });

  it('needs no SPF record: when it cannot be read, the address counts', async () => {
    const zone = zoneReply({ 'a.cl': [a('200.1.2.3')] });
    const server = await dnsServer((question) => (question.type === 'TXT' ? { rcode: SERVFAIL } : zone(question)));
    expect((await sourceOver(server).route('a.cl')).value).toMatchObject({ fallback: true, reason: null });
  });

  it.each([
    ['fails', () => ({ rcode: SERVFAIL })],
    ['refuses', () => ({ rcode: REFUSED })],
    ['talks nonsense', () => Buffer.from('no packet at all')],
    ['says nothing', () => 'silence'],
    ['fails for addresses alone', ({ type }) => (type === 'MX' ? { authorities: [soa(60)] } : { rcode: SERVFAIL })],
  ] as [string, (question: DnsQuestion) => DnsReply][])('UP-03 is not known where the name server %s', async (how, reply) => {
    const { source, route } = sourceOver(await dnsServer(reply));
    await expect(route('a.cl')).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE', facts: { source: 'dns' } });
    expect(await source.status()).toMatchObject({
      name: 'dns',
      origin: 'given',
      lastSuccessAt: how.includes('alone') ? 1_000_000 : null,
      lastErrorAt: 1_000_000,
    });
  });

  it('UP-11 does not cache a failure', async () => {
    let broken = true;
    const zone = zoneReply(withMailServers({ 'a.cl': [mx(10, 'mx.a.cl')] }));
    const { route } = sourceOver(await dnsServer((question) => (broken ? { rcode: SERVFAIL } : zone(question))));
    await expect(route('a.cl')).rejects.toThrow();
    broken = false;
    expect((await route('a.cl')).value.reason).toBeNull();
  });
});

/** Host names of mail servers `mx1.a.cl` to `mx<count>.a.cl`, the best first. */
const many = (count: number) => Array.from({ length: count }, (_, i) => mx(i + 1, `mx${i + 1}.a.cl`));

// https://github.com/michaelherold/pyIsEmail/issues/10 and https://github.com/reacherhq/check-if-email-exists/issues/1469: an MX record may
// name a host that does not exist, and the domain then takes no mail.
describe('a mail server', () => {
  it.each([
    ['does not exist', { 'a.cl': [mx(10, 'mail.doesnotexist.cl')] }, 'no_mail_server'],
    ['has no address', { 'a.cl': [mx(10, 'mx.a.cl')], 'mx.a.cl': [{ type: 'TXT', data: 'x' }] }, 'no_mail_server'],
    ['is an alias of nothing', { 'a.cl': [mx(10, 'mx.a.cl')], 'mx.a.cl': [{ type: 'CNAME', data: 'b.cl' }] }, 'no_mail_server'],
    ['has a name that no host has', { 'a.cl': [mx(10, 'mx here.a.cl')] }, 'no_mail_server'],
    ['has a private address', { 'a.cl': [mx(10, 'mx.a.cl')], 'mx.a.cl': [a('192.168.1.25')] }, 'private_address'],
    ['has the address of this host', { 'a.cl': [mx(10, 'mx.a.cl')], 'mx.a.cl': [a('127.0.0.1')] }, 'private_address'],
    ['has a reserved address', { 'a.cl': [mx(10, 'mx.a.cl')], 'mx.a.cl': [a('240.0.0.1')] }, 'private_address'],
    ['has a private IPv6 address', { 'a.cl': [mx(10, 'mx.a.cl')], 'mx.a.cl': [{ type: 'AAAA', data: 'fd00::1' }] }, 'private_address'],
    ['is absent like every other', { 'a.cl': [mx(10, 'mx1.a.cl'), mx(20, 'mx2.a.cl')] }, 'no_mail_server'],
    ['is absent, whatever the address of the domain', { 'a.cl': [mx(10, 'mx.b.cl'), a('200.1.2.3')] }, 'no_mail_server'],
  ] as const)('that %s takes no mail', async (_, zone, reason) => {
    expect(await verdict(zone as Zone)).toEqual(none(reason));
  });

  it.each([
    ['has an IPv6 address only', { 'a.cl': [mx(10, 'mx.a.cl')], 'mx.a.cl': [{ type: 'AAAA', data: '2800::1' }] }],
    ['is an alias', { 'a.cl': [mx(10, 'mx.a.cl')], 'mx.a.cl': [{ type: 'CNAME', data: 'b.cl' }], 'b.cl': [a('200.1.2.3')] }],
    ['has a public address beside a private one', { 'a.cl': [mx(10, 'mx.a.cl')], 'mx.a.cl': [a('10.0.0.1'), a('200.1.2.3')] }],
    ['is the domain itself', { 'a.cl': [mx(10, 'a.cl'), a('200.1.2.3')] }],
  ] as const)('that %s takes mail', async (_, zone) => {
    expect(await verdict(zone as Zone)).toMatchObject({ fallback: false, reason: null });
  });

  it('that does not exist matters not where a later one does', async () => {
    const zone = { 'a.cl': many(20), 'mx20.a.cl': [a('200.1.2.3')] };
    expect(await verdict(zone)).toMatchObject({ hosts: many(20).map(({ data }) => data.exchange), reason: null });
  });

  it('is asked for its addresses alone if it is the best one and has some', async () => {
    const server = await dnsServer(zoneReply(withMailServers({ 'a.cl': many(5) })));
    await sourceOver(server).route('a.cl');
    expect(new Set(server.asked.map(({ name }) => name))).toEqual(new Set(['a.cl', 'mx1.a.cl']));
  });

  it('is one of 20 at most that are asked, and beyond them the answer is not known', async () => {
    const server = await dnsServer(zoneReply({ 'a.cl': many(25), 'b.cl': many(20) }));
    const { route } = sourceOver(server);
    await expect(route('a.cl')).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE', facts: { source: 'dns' } });
    expect(new Set(server.asked.map(({ name }) => name)).size).toBe(21);
    expect((await route('b.cl')).value.reason).toBe('no_mail_server');
  });

  /** A zone whose queries for `broken.cl` fail. */
  const withBroken = (zone: Zone) => {
    const reply = zoneReply(zone);
    return dnsServer((question) => (question.name === 'broken.cl' ? { rcode: SERVFAIL } : reply(question)));
  };

  it('UP-03 leaves the answer unknown where its addresses cannot be read', async () => {
    const { route } = sourceOver(await withBroken({ 'a.cl': [mx(10, 'broken.cl'), mx(20, 'mx.nowhere.cl')] }));
    await expect(route('a.cl')).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE', facts: { source: 'dns' } });
  });

  it('whose addresses cannot be read matters not where another one has a public address', async () => {
    const { route } = sourceOver(await withBroken({ 'a.cl': [mx(10, 'broken.cl'), mx(20, 'mx.a.cl')], 'mx.a.cl': [a('200.1.2.3')] }));
    expect((await route('a.cl')).value.reason).toBeNull();
  });

  it('counts for the lifetime of the answer: of the MX records or of the address, whichever ends first', async () => {
    const server = await dnsServer(zoneReply({ 'a.cl': [mx(10, 'mx.a.cl', 3_600)], 'mx.a.cl': [a('200.1.2.3', 60)] }));
    expect((await sourceOver(server).route('a.cl')).value.ttlMs).toBe(60_000);
  });
});

describe('what is kept of it', () => {
  const asks = async (reply: (question: DnsQuestion) => DnsReply) => {
    const server = await dnsServer(reply);
    const { route, clock } = sourceOver(server);
    /** The number of MX queries after another wait in seconds. */
    return async (seconds: number) => {
      clock.ms += seconds * 1_000;
      await route('a.cl');
      return server.asked.filter(({ type }) => type === 'MX').length;
    };
  };

  it('UP-10 is cached for the TTL of the records and no longer', async () => {
    const ask = await asks(zoneReply(withMailServers({ 'a.cl': [mx(10, 'mx.a.cl', 300)] })));
    expect([await ask(0), await ask(299), await ask(2)]).toEqual([1, 1, 2]);
  });

  it('is cached for a day at most', async () => {
    const ask = await asks(zoneReply(withMailServers({ 'a.cl': [mx(10, 'mx.a.cl', 30 * 86_400)] })));
    expect([await ask(0), await ask(86_399), await ask(2)]).toEqual([1, 1, 2]);
  });

  it.each([
    ['the TTL that its zone gives', [soa(60)], 60],
    ['15 minutes at most', [soa(86_400)], 900],
    ['5 minutes where its zone gives none', [], 300],
  ] as const)('UP-11 stands, when there is none, for %s', async (_, authorities, seconds) => {
    const ask = await asks(() => ({ rcode: NXDOMAIN, authorities: [...authorities] }));
    expect([await ask(0), await ask(seconds - 1), await ask(2)]).toEqual([1, 1, 2]);
  });

  it("uses the domain's own address for the shorter of both TTLs", async () => {
    const ask = await asks(({ type }) =>
      type === 'A' ? { answers: [{ type: 'A', name: 'a.cl', data: '200.1.2.3', ttl: 30 }] } : { authorities: [soa(600)] },
    );
    expect([await ask(0), await ask(29), await ask(2)]).toEqual([1, 1, 2]);
  });

  it('UP-09 makes one query for five hundred concurrent requests', async () => {
    const server = await dnsServer(zoneReply(withMailServers({ 'a.cl': [mx(10, 'mx.a.cl')] })));
    const { route } = sourceOver(server);
    const answers = await Promise.all(Array.from({ length: 500 }, () => route('a.cl')));
    expect([new Set(answers.map(({ value }) => value)).size, server.asked.length]).toEqual([1, 3]);
  });
});

describe('the source dns', () => {
  const failing = (dns: object) => dnsSource.create({ dns } as unknown as SourceDeps);

  it('UP-01 settles within six seconds, for any number of queries', async () => {
    const source = failing({ mx: () => new Promise(() => undefined) });
    const { result, timers, cleared } = withOwnTimers(() => source.together(({ mx }) => mx('a.cl')));
    const asked = expect(result).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    await vi.advanceTimersByTimeAsync(6_000);
    await asked;
    expect(timers).toHaveLength(1);
    expect(cleared).toHaveBeenCalledWith(timers[0]);
  });

  it('forwards each kind of query, and converts its failure', async () => {
    const { source } = await overZone({
      'a.cl': [mx(10, 'mx.a.cl'), a('200.1.2.3'), { type: 'TXT', data: 'x' }, { type: 'NS', data: 'ns.a.cl' }],
    });
    const answers = await Promise.all([source.mx('a.cl'), source.addresses('a.cl'), source.txt('a.cl'), source.ns('a.cl')]);
    expect(answers.map(({ records }) => records)).toEqual([[{ exchange: 'mx.a.cl', preference: 10 }], ['200.1.2.3'], ['x'], ['ns.a.cl']]);
    const fault = new TypeError('x is not a function');
    await expect(failing({ txt: () => Promise.reject(new DnsFailure('timeout', 'late')) }).txt('a.cl')).rejects.toMatchObject({
      code: 'SOURCE_UNAVAILABLE',
    });
    await expect(failing({ txt: () => Promise.reject(fault) }).txt('a.cl')).rejects.toBe(fault);
  });

  it('is not usable while its circuit is open', async () => {
    const health = { origin: 'live', circuit: 'open', lastSuccessAt: 1, lastErrorAt: 2, lastError: 'timeout' };
    expect(await failing({ health: () => health }).status()).toEqual({ name: 'dns', kind: 'live', ...health, list: null, usable: false });
  });
});

describe('recorded answers', () => {
  it('give the verdicts expected', async () => {
    const { records, expected } = sampleJson('email-tech/dns_answers.json');
    const names: Record<string, { type: string; data: unknown }[]> = {};
    for (const { query, answer } of records as { query: { name: string; type: string }; answer: string[] }[]) {
      if (query.type === 'ANY') continue;
      const data = (text: string) =>
        query.type === 'MX' ? { preference: Number(text.split(' ')[0]), exchange: text.split(' ')[1] ?? '' } : text;
      names[query.name] = [...(names[query.name] ?? []), ...answer.map((text) => ({ type: query.type, data: data(text) }))];
    }
    const { route } = await overZone(withMailServers(names as Zone));
    for (const [domain, { deliverable, mx: servers = [], fallback }] of Object.entries(expected as Record<string, Record<string, never>>)) {
      const { value } = await route(domain);
      expect([domain, value.reason === null, value.fallback]).toEqual([domain, deliverable, fallback !== undefined]);
      expect(value.servers.map(({ preference, host }) => [preference, host])).toEqual(servers);
    }
  });
});
