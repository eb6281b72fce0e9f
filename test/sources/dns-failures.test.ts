import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import type { Answer } from 'dns-packet';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDns } from '../../src/sources/dns/client.ts';
import { readServer } from '../../src/sources/dns/dns.ts';
import { type DnsReply, dnsServer, REFUSED, SERVFAIL, zoneReply } from '../support/dns-server.ts';
import { memoryLog } from '../support/log.ts';

/** Creates a client and its name servers. */
async function setup(...replies: Parameters<typeof dnsServer>[0][]) {
  const servers = await Promise.all(replies.map(dnsServer));
  const clock = { offset: 0 };
  const { log, lines } = memoryLog();
  const dns = createDns({ servers: servers.map(({ address }) => address), now: () => Date.now() + clock.offset, log });
  return { servers, dns, clock, lines };
}
const txt = (data: string, name = 'empresa.cl'): Answer => ({ type: 'TXT', name, ttl: 60, data });
const silence = (): DnsReply => 'silence';

describe('a failure of the name servers', () => {
  it.each<[string, DnsReply, string]>([
    ['SERVFAIL', { rcode: SERVFAIL }, 'servfail'],
    ['REFUSED', { rcode: REFUSED }, 'refused'],
    ['NOTIMP', { rcode: 4 }, 'refused'],
    ['FORMERR without the question', { rcode: 1, questions: [] }, 'malformed'],
    ['garbage after the right id', Buffer.from('<html>maintenance</html>'), 'malformed'],
    ['the question itself', { type: 'query' }, 'malformed'],
    ['a referral to others', { authorities: [{ type: 'NS', name: 'cl', ttl: 60, data: 'a.nic.cl' }] }, 'malformed'],
  ])('%s is a failure and not an absence', async (_, reply, kind) => {
    const { dns, servers, lines } = await setup(() => reply);
    await expect(dns.txt('empresa.cl')).rejects.toMatchObject({ name: 'DnsFailure', kind });
    expect(servers[0]?.asked).toHaveLength(2);
    expect(dns.health()).toMatchObject({ circuit: 'closed', lastError: kind, lastSuccessAt: null });
    expect(lines).toMatchObject([{ kind, type: 'TXT' }]);
  });

  it('is reported for a record that extends past the end of its packet', async () => {
    const record = (type: number) => [1, 97, 0, 0, type, 0, 1];
    const packet = (type: number) =>
      Buffer.from([0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0, ...record(type), ...record(type), 0, 0, 0, 9, 0, 4, 1]);
    const { dns } = await setup(({ type }) => packet(type === 'A' ? 1 : 28));
    await expect(dns.addresses('a')).rejects.toMatchObject({ kind: 'malformed' });
  });

  it('is reported when TCP closes, refuses or answers another query after a truncated UDP answer', async () => {
    const { dns } = await setup(({ via }) => (via === 'udp' ? { truncated: true } : { id: 7, answers: [] }));
    await expect(dns.txt('empresa.cl')).rejects.toMatchObject({ kind: 'malformed' });
    const closing = createServer((socket: Socket) => socket.end());
    onTestFinished(() => void closing.close());
    const udp = await dnsServer(() => ({ truncated: true }));
    const port = Number(udp.address.split(':')[1]);
    await udp.closeTcp();
    await expect(createDns({ servers: [udp.address], now: Date.now, log: memoryLog().log }).txt('a.cl')).rejects.toMatchObject({
      kind: 'unreachable',
    });
    await once(closing.listen(port, '127.0.0.1'), 'listening');
    await expect(createDns({ servers: [udp.address], now: Date.now, log: memoryLog().log }).txt('a.cl')).rejects.toMatchObject({
      kind: 'malformed',
    });
  });

  it('cannot be forged: packets with another id or another question are ignored', async () => {
    const forged = { id: 0, answers: [txt('forged')] };
    const { dns, servers } = await setup((_, nth) => ({
      answers: [txt('true')],
      before: nth === 1 ? forged : { answers: [txt('forged', 'bank.cl')], questions: [{ name: 'bank.cl', type: 'TXT' }] },
    }));
    expect((await dns.txt('empresa.cl')).records).toEqual(['true']);
    expect((await dns.txt('empresa.cl')).records).toEqual(['true']);
    expect(servers[0]?.asked).toHaveLength(2);
  });

  it('of one address type leaves the other; an absence needs answers for both', async () => {
    const { dns } = await setup(({ name, type }) => {
      if (type === 'AAAA') return { rcode: SERVFAIL };
      return name === 'v4.cl' ? { answers: [{ type: 'A', name, ttl: 60, data: '1.1.1.1' }] } : { rcode: 3 };
    });
    expect((await dns.addresses('v4.cl')).records).toEqual(['1.1.1.1']);
    await expect(dns.addresses('none.cl')).rejects.toMatchObject({ kind: 'servfail' });
  });

  it('of one address type by silence takes half a second and leaves the circuit closed', async () => {
    const { dns, servers } = await setup(({ name, type }) =>
      type === 'A' ? { answers: [{ type, name, ttl: 60, data: '1.1.1.1' }] } : 'silence',
    );
    for (let i = 0; i < 6; i += 1) {
      const found = await Promise.all(Array.from({ length: 4 }, () => dns.addresses('v4.cl')));
      expect(found.map(({ records }) => records)).toEqual(new Array(4).fill(['1.1.1.1']));
    }
    expect(dns.health().circuit).toBe('closed');
    expect(servers[0]?.asked).toHaveLength(48); // nothing was asked twice
  });

  it('UP-01 is reported within five seconds when three servers do not answer', async () => {
    const { dns, servers } = await setup(silence, silence, silence);
    const started = performance.now();
    await expect(dns.addresses('empresa.cl')).rejects.toMatchObject({ kind: 'timeout' });
    expect(performance.now() - started).toBeLessThan(5_250);
    expect(servers.map(({ asked }) => asked.length)).toEqual([2, 2, 2]);
  });

  it('UP-07 of ten queries in a row opens the circuit for half a minute', async () => {
    const log = memoryLog().log;
    const clock = { offset: 0 };
    const dead = createDns({ servers: ['127.0.0.1:1'], now: () => Date.now() + clock.offset, log });
    for (let i = 0; i < 10; i += 1) await expect(dead.mx('a.cl')).rejects.toMatchObject({ kind: 'unreachable' });
    await expect(dead.mx('a.cl')).rejects.toMatchObject({ kind: 'circuit_open' });
    expect(dead.health()).toMatchObject({ circuit: 'open', lastError: 'circuit_open' });
    clock.offset = 31_000;
    expect(dead.health().circuit).toBe('half_open');
  });

  it('that a server answers leaves the circuit closed', async () => {
    const { dns, servers } = await setup(() => ({ rcode: SERVFAIL }));
    for (let i = 0; i < 12; i += 1) await expect(dns.mx('lame.cl')).rejects.toMatchObject({ kind: 'servfail' });
    expect(dns.health().circuit).toBe('closed');
    expect(servers[0]?.asked).toHaveLength(24);
  });

  it('UP-08 limits queries to sixteen in flight and sixty-four waiting', async () => {
    const { dns, servers } = await setup(silence);
    const kinds = await Promise.all(Array.from({ length: 90 }, () => dns.mx('a.cl').catch(({ kind }: { kind: string }) => kind)));
    expect(kinds.filter((kind) => kind === 'too_many_waiting')).toHaveLength(10);
    expect(servers[0]?.asked.length).toBeLessThanOrEqual(48);
  });
});

describe('a name server', () => {
  it.each([
    ['1.1.1.1', { host: '1.1.1.1', port: 53 }],
    ['1.1.1.1:5353', { host: '1.1.1.1', port: 5353 }],
    ['[::1]:5353', { host: '::1', port: 5353 }],
    ['[::1]', { host: '::1', port: 53 }],
    ['2606:4700::1111', { host: '2606:4700::1111', port: 53 }],
    ['dns.local:53', { host: 'dns.local', port: 53 }],
    ['1.1.1.1:99999', null],
    ['1.1.1.1:0', null],
    ['[dns.local]:53', null],
    ['http://1.1.1.1', null],
  ])('is read from %s', (text, server) => expect(readServer(text)).toEqual(server));

  it('may be given by IPv6 address or by name', async () => {
    const { servers } = await setup(zoneReply({ 'empresa.cl': [{ type: 'TXT', data: 'here' }] }));
    const port = servers[0]?.address.split(':')[1];
    const dns = createDns({ servers: [`[::1]:1`, `localhost:${port}`], now: Date.now, log: memoryLog().log });
    expect((await dns.txt('empresa.cl')).records).toEqual(['here']);
  });
});
