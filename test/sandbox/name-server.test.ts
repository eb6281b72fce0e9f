import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { FAULT_MODES, type FaultMode } from '../../sandbox/server/faults.ts';
import { startSandbox } from '../../sandbox/server/server.ts';
import type { DnsZone } from '../../sandbox/world/dns-zone.ts';
import { createDns } from '../../src/sources/dns/client.ts';
import type { DnsFailure } from '../../src/sources/dns/dns.ts';
import { memoryLog } from '../support/log.ts';

const zones: readonly DnsZone[] = [
  {
    name: 'correo.cl',
    records: [
      { type: 'MX', preference: 10, host: 'mx.correo.cl' },
      { type: 'TXT', text: ['v=spf1', ' -all'], ttl: 60 },
      { type: 'NS', host: 'ns1.correo.cl' },
      { type: 'AAAA', address: '2001:db8::1' },
      { name: 'mx.correo.cl', type: 'A', address: '127.0.0.1' },
      { name: 'alias.correo.cl', type: 'CNAME', host: 'mx.correo.cl' },
      { name: 'lost.correo.cl', type: 'CNAME', host: 'nowhere.cl' },
      { name: 'round.correo.cl', type: 'CNAME', host: 'round.correo.cl' },
      { name: 'a.b.correo.cl', type: 'A', address: '127.0.0.1' },
    ],
  },
  { name: 'correo.cl', records: [{ type: 'MX', preference: 0, host: '.' }] },
  { name: 'roto.cl', records: [], failure: 'servfail' },
  { name: 'reservado.cl', records: [], failure: 'refused' },
  { name: 'mudo.cl', records: [], failure: 'silent' },
];

async function setup() {
  const { log, lines } = memoryLog();
  const sandbox = await startSandbox({ simulators: [], zones, log });
  onTestFinished(() => sandbox.close());
  return { sandbox, lines, dns: createDns({ servers: [sandbox.dns], now: Date.now, log: memoryLog().log }) };
}
const kind = ({ kind }: DnsFailure): string => kind;

describe('the sandbox’s name server', () => {
  it('answers with the records of all zones of a name', async () => {
    const { dns, sandbox } = await setup();
    expect((await dns.mx('Correo.cl')).records).toEqual([
      { exchange: 'mx.correo.cl', preference: 10 },
      { exchange: '', preference: 0 },
    ]);
    expect(await dns.txt('correo.cl')).toEqual({ status: 'found', records: ['v=spf1 -all'], ttlMs: 60_000 });
    expect((await dns.ns('correo.cl')).records).toEqual(['ns1.correo.cl']);
    expect((await dns.addresses('correo.cl')).records).toEqual(['2001:db8::1']);
    expect(sandbox.requestsTo('dns')).toEqual(['MX', 'TXT', 'NS', 'A', 'AAAA'].map((type) => `/correo.cl/${type}`));
  });

  it('follows aliases, and answers no_data for an empty name and no_name for an unknown one', async () => {
    const { dns } = await setup();
    const statusOf = async (name: string) => (await dns.addresses(name)).status;
    expect(
      await Promise.all(['alias.correo.cl', 'mx.correo.cl', 'b.correo.cl', 'lost.correo.cl', 'c.correo.cl', 'nada.cl'].map(statusOf)),
    ).toEqual(['found', 'found', 'no_data', 'no_name', 'no_name', 'no_name']);
    expect(await dns.mx('nada.cl')).toEqual({ status: 'no_name', records: [], ttlMs: 300_000 });
    expect(await dns.mx('round.correo.cl').catch(kind)).toBe('servfail');
  });

  it('fails for the zones with a failure, and for a name below one', async () => {
    const { dns } = await setup();
    expect(await dns.mx('roto.cl').catch(kind)).toBe('servfail');
    expect(await dns.mx('www.reservado.cl').catch(kind)).toBe('refused');
    expect(await dns.mx('mudo.cl').catch(kind)).toBe('timeout');
  });

  it('continues to answer after invalid packets and a reset connection', async () => {
    const { sandbox, dns, lines } = await setup();
    const port = Number(sandbox.dns.split(':')[1]);
    const udp = createSocket('udp4');
    for (const bytes of ['nonsense', '\0'.repeat(12)]) udp.send(bytes, port, '127.0.0.1');
    const tcp = connect(port, '127.0.0.1');
    await once(tcp, 'connect');
    tcp.resetAndDestroy();
    expect((await dns.mx('correo.cl')).status).toBe('found');
    await expect.poll(() => lines.map(({ msg }) => msg)).toContain('sandbox name server failed');
    udp.close();
  });
});

describe('a fault of the name server', () => {
  const looks: Partial<Record<FaultMode, string>> = {
    down: 'timeout',
    hung: 'timeout',
    silent_after_headers: 'timeout',
    drip: 'timeout',
    empty: 'timeout',
    slow: 'found',
    status_500: 'servfail',
    status_503_retry_after: 'servfail',
    rate_limited: 'refused',
    rate_limited_date: 'refused',
  };

  it('has the expected outcome in every mode', async () => {
    const outcomeOf = async (mode: FaultMode) => {
      const { sandbox, dns } = await setup();
      sandbox.faults.set('dns', { mode, ms: 10 });
      return [mode, await dns.mx('correo.cl').then(({ status }) => status, kind)] as const;
    };
    const silent = FAULT_MODES.filter((mode) => looks[mode] === 'timeout');
    const outcomes = [...(await Promise.all(silent.map(outcomeOf)))];
    for (const mode of FAULT_MODES.filter((one) => !silent.includes(one))) outcomes.push(await outcomeOf(mode));
    expect(Object.fromEntries(outcomes)).toEqual(Object.fromEntries(FAULT_MODES.map((mode) => [mode, looks[mode] ?? 'malformed'])));
  });

  it('applies to the queries that match, for the given number of queries', async () => {
    const { sandbox, dns } = await setup();
    sandbox.faults.set('dns', { mode: 'status_500', match: 'correo.cl/mx', times: 2 });
    expect((await dns.txt('correo.cl')).status).toBe('found');
    expect(await dns.mx('correo.cl').catch(kind)).toBe('servfail');
    expect((await dns.mx('correo.cl')).status).toBe('found');
  });

  it('does not prevent the close of the sandbox', async () => {
    const { sandbox, dns, lines } = await setup();
    sandbox.faults.set('dns', { mode: 'slow', ms: 60_000 });
    const asked = dns.mx('correo.cl').catch(kind);
    await expect.poll(() => sandbox.requestsTo('dns').length).toBe(1);
    await sandbox.close();
    await sandbox.close();
    expect(['timeout', 'unreachable']).toContain(await asked);
    expect(lines.filter(({ level }) => Number(level) >= 50)).toEqual([]);
  });
});
