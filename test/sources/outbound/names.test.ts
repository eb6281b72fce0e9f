import type { Answer } from 'dns-packet';
import { describe, expect, it } from 'vitest';
import { type DnsReply, dnsServer, SERVFAIL, soa } from '../../support/dns-server.ts';
import { dnsOf, outbound, PRIVATE, PUBLIC, siteBesideCanary } from './support.ts';

const ROUNDS = 1_000;
const a = (name: string, data: string, ttl = 60): Answer => ({ type: 'A', name, ttl, data });

/** A site that may be dialled, a canary at the same port of an address that may not, and a name server that says what a test likes. */
async function setup(reply: (name: string, nthForName: number) => DnsReply) {
  const { port, asked, contacts } = await siteBesideCanary((_, response) => void response.end('hello'));
  const counts = new Map<string, number>();
  const names = await dnsServer(({ name, type }) => {
    if (type !== 'A') return { authorities: [soa(60)] };
    counts.set(name, (counts.get(name) ?? 0) + 1);
    return reply(name, counts.get(name) ?? 0);
  });
  return { ...outbound({ dns: dnsOf(names.address) }), port, asked, contacts, names, counts };
}

describe('SS-03 a trick of the name system', () => {
  it(`does not help: public first, private next, ${ROUNDS} times over`, async () => {
    const { kindOf, port, asked, contacts, counts } = await setup((name, nth) => ({ answers: [a(name, nth === 1 ? PUBLIC : PRIVATE, 0)] }));
    const kinds: string[] = [];
    for (let round = 0; round < ROUNDS; round += 5) {
      const batch = Array.from({ length: 5 }, (_, i) => kindOf(`http://round-${round + i}.cl:${port}/`));
      kinds.push(...(await Promise.all(batch)));
    }
    expect(kinds.filter((kind) => kind === 'answered 200')).toHaveLength(ROUNDS);
    expect([asked.length, contacts(), new Set(counts.values())]).toEqual([ROUNDS, 0, new Set([1])]);
  }, 300_000);

  it('does not help: private first, public next', async () => {
    const { kindOf, port, contacts, counts } = await setup((name, nth) => ({ answers: [a(name, nth === 1 ? PRIVATE : PUBLIC, 0)] }));
    expect(await kindOf(`http://a.cl:${port}/`)).toBe('blocked_destination');
    expect([contacts(), counts.get('a.cl')]).toEqual([0, 1]);
  });

  it.each<[string, (name: string) => DnsReply, string]>([
    ['a private address', (name) => ({ answers: [a(name, PRIVATE)] }), 'blocked_destination'],
    ['a private address among public ones', (name) => ({ answers: [a(name, PUBLIC), a(name, PRIVATE)] }), 'blocked_destination'],
    [
      'an alias of localhost',
      (name) => ({ answers: [{ type: 'CNAME', name, data: 'localhost' }, a('localhost', PRIVATE)] }),
      'blocked_destination',
    ],
    ['no address', () => ({ authorities: [soa(60)] }), 'no_such_name'],
    ['no such name', () => ({ rcode: 3, authorities: [soa(60)] }), 'no_such_name'],
    ['a failure', () => ({ rcode: SERVFAIL }), 'dns_failed'],
  ])('does not help: %s is no site', async (_, reply, kind) => {
    const { kindOf, port, contacts, asked } = await setup(reply);
    expect(await kindOf(`http://a.cl:${port}/`)).toBe(kind);
    expect([contacts(), asked.length]).toEqual([0, 0]);
  });

  it('does not help: silence ends at the deadline', async () => {
    const { kindOf, port } = await setup(() => 'silence');
    expect(await kindOf(`http://a.cl:${port}/`, { deadlineMs: 300 })).toBe('timeout');
  });

  it('a name that cannot be asked for does not exist', async () => {
    const { kindOf, names } = await setup(() => ({}));
    expect(await kindOf(`http://${'x'.repeat(64)}.cl/`)).toBe('no_such_name');
    expect(names.asked).toEqual([]);
  });
});

describe('a site by its name', () => {
  it('is asked under that name, at the next address where one is dead', async () => {
    const { port, asked, names } = await setup((name) => ({ answers: [a(name, '127.0.0.3'), a(name, PUBLIC)] }));
    const { get } = outbound({ dns: dnsOf(names.address), allow: ['127.0.0.2/31'] });
    const answer = await get(`http://A.cl.:${port}/x?y=1#z`);
    expect([answer.body.toString(), answer.url.host]).toEqual(['hello', `a.cl:${port}`]);
    expect(asked.map(({ url, headers }) => [url, headers.host])).toEqual([['/x?y=1', `a.cl:${port}`]]);
  });

  it('that is allowed may have any port; one that is not, four', async () => {
    const { client, kindOf } = await setup((name) => ({ answers: [a(name, '1.1.1.1')] }));
    expect(() => client.check(new URL('http://a.cl:1234/'))).not.toThrow(); // its addresses decide
    expect(await kindOf('http://a.cl:1234/')).toBe('blocked_destination');
  });

  it('is localhost where loopback is allowed, without a look-up', async () => {
    const { names, kindOf, port } = await setup(() => ({}));
    expect(await kindOf(`http://localhost:${port}/`)).toBe('blocked_destination');
    const wider = outbound({ dns: dnsOf(names.address), allow: ['127.0.0.0/8'] });
    expect(await wider.kindOf(`http://localhost:${port}/`)).toBe('connection'); // what listens there speaks no HTTP
    expect(names.asked).toEqual([]);
  });

  it('of one label is looked up only where private networks are allowed', async () => {
    const { kindOf, port, names } = await setup((name) => ({ answers: [a(name, PUBLIC)] }));
    expect(await kindOf(`http://intranet:${port}/`)).toBe('answered 200');
    expect(await outbound({ allow: [], dns: dnsOf(names.address) }).kindOf('http://intranet/')).toBe('blocked_destination');
  });
});
