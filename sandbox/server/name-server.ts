import { createSocket, type Socket as Udp } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { type Answer, AUTHORITATIVE_ANSWER, decode, encode, RECURSION_AVAILABLE, TRUNCATED_RESPONSE } from 'dns-packet';
import type { Logger } from 'pino';
import { SECOND_MS } from '../../src/domain/time.ts';
import type { DnsRecord, DnsZone } from '../world/dns-zone.ts';
import type { ActiveFault, FaultMode } from './faults.ts';

export interface NameServer {
  /** Address host:port, the same for UDP and TCP. */
  readonly address: string;
  close(): Promise<void>;
}

export interface NameServerOptions {
  readonly zones: readonly DnsZone[];
  /** Called for each query with `/name/TYPE`; returns the fault that applies; null for none. */
  readonly faultFor: (path: string) => ActiveFault | null;
  readonly log?: Logger;
}

type Protocol = 'udp' | 'tcp';

/** Effect of each fault mode on a DNS query. A mode that is not listed here sends garbage. */
const DNS_EFFECTS: Partial<Record<FaultMode, 'silent' | 'late' | 'servfail' | 'refused' | 'cut'>> = {
  down: 'silent',
  hung: 'silent',
  silent_after_headers: 'silent',
  drip: 'silent',
  empty: 'silent',
  slow: 'late',
  status_500: 'servfail',
  status_503_retry_after: 'servfail',
  rate_limited: 'refused',
  rate_limited_date: 'refused',
  truncated: 'cut',
};

const LOOPBACK = '127.0.0.1';
/** Maximum number of attempts to find a port that is free for UDP and TCP. */
const PORT_TRIES = 10;
const GARBAGE = Buffer.from('<!doctype html><html><body><h1>Em manutenção</h1></body></html>');

/** Starts a name server for the fictional world on a free loopback port, for UDP and TCP. */
export async function startNameServer({ zones, faultFor, log }: NameServerOptions): Promise<NameServer> {
  const resolve = createZoneResolver(zones);
  const stopping = new AbortController();

  /** Builds the response packet; null to stay silent. */
  async function answer(query: Buffer, protocol: Protocol): Promise<Buffer | null> {
    const { id, questions = [] } = decode(query);
    const [question] = questions;
    if (!question) return null;
    const { name, type } = question;
    const fault = faultFor(`/${name.toLowerCase()}/${type}`);
    log?.debug({ source: 'dns', type, fault: fault?.mode }, 'sandbox DNS query');
    const packed = (response: DnsResponse, flags = 0) =>
      encode({ type: 'response', id, questions, ...response, flags: response.flags | flags, answers: [...response.answers] });
    const response = resolve(name.toLowerCase(), type);
    if (!fault) return response && packed(response);
    switch (DNS_EFFECTS[fault.mode]) {
      case 'silent':
        return null;
      case 'servfail':
        return packed(emptyResponse(SERVFAIL));
      case 'refused':
        return packed(emptyResponse(REFUSED));
      case 'cut':
        return protocol === 'udp' ? packed(emptyResponse(0), TRUNCATED_RESPONSE) : Buffer.alloc(0);
      case 'late':
        await wait(fault.ms ?? 3 * SECOND_MS, undefined, { signal: stopping.signal });
        return response && packed(response);
      default:
        return Buffer.concat([query.subarray(0, 2), GARBAGE]);
    }
  }

  const reply = async (query: Buffer, protocol: Protocol, send: (packet: Buffer) => void): Promise<void> => {
    try {
      const packet = await answer(query, protocol);
      if (packet && !stopping.signal.aborted) send(packet);
    } catch (error) {
      if (!stopping.signal.aborted) log?.error({ err: error }, 'sandbox name server failed');
    }
  };

  const { udp, tcp } = await bindOnePort();
  const connections = new Set<Socket>();
  udp.on('message', (query, from) => void reply(query, 'udp', (packet) => udp.send(packet, from.port, from.address)));
  tcp.on('connection', (socket) => {
    connections.add(socket);
    socket.on('error', () => undefined).on('close', () => connections.delete(socket));
    // One query per connection, in one segment: every client is on this machine.
    socket.once('data', (bytes) => void reply(bytes.subarray(2), 'tcp', (packet) => socket.end(lengthPrefixed(packet))));
  });
  return {
    address: `${LOOPBACK}:${udp.address().port}`,
    async close() {
      if (stopping.signal.aborted) return;
      stopping.abort();
      for (const socket of connections) socket.destroy();
      await Promise.all([new Promise((closed) => tcp.close(closed)), new Promise<void>((closed) => udp.close(closed))]);
    },
  };
}

function lengthPrefixed(packet: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(packet.length);
  return Buffer.concat([length, packet]);
}

async function bindOnePort(): Promise<{ udp: Udp; tcp: Server }> {
  for (let tries = 1; ; tries += 1) {
    const tcp = createServer();
    await once(tcp.listen(0, LOOPBACK), 'listening');
    const udp = createSocket('udp4');
    try {
      await once(udp.bind((tcp.address() as AddressInfo).port, LOOPBACK), 'listening');
      return { udp, tcp };
    } catch (error) {
      udp.close();
      tcp.close();
      if (tries === PORT_TRIES) throw error;
    }
  }
}

/** The response to a query, without the query itself. */
export interface DnsResponse {
  readonly flags: number;
  readonly answers: readonly Answer[];
  readonly authorities: Answer[];
}

export const SERVFAIL = 2;
export const REFUSED = 5;
const NXDOMAIN = 3;
const FLAGS = AUTHORITATIVE_ANSWER | RECURSION_AVAILABLE;

const TTL_SECONDS = 3_600;
const NEGATIVE_TTL_SECONDS = 300;
const MAX_ALIASES = 8;

/** A response that has a response code and no records. */
export const emptyResponse = (code: number): DnsResponse => ({ flags: FLAGS | code, answers: [], authorities: [] });

/** Creates a resolver over the zones: lower-case name and record type → response, CNAMEs followed. Null means no response at all. */
export function createZoneResolver(zones: readonly DnsZone[]): (name: string, type: string) => DnsResponse | null {
  const owned = (zone: DnsZone) => zone.records.map((record) => ({ ...record, name: record.name ?? zone.name }));
  const records = Map.groupBy(zones.flatMap(owned), ({ name }) => name);
  const exists = (name: string): boolean => [...records.keys()].some((one) => one === name || one.endsWith(`.${name}`));
  const failureOf = (name: string) => zones.find((zone) => zone.failure && (name === zone.name || name.endsWith(`.${zone.name}`)))?.failure;

  return (queried, type) => {
    const answers: Answer[] = [];
    let name = queried;
    for (let hops = 0; hops <= MAX_ALIASES; hops += 1) {
      const failure = failureOf(name);
      if (failure) return failure === 'silent' ? null : emptyResponse(failure === 'servfail' ? SERVFAIL : REFUSED);
      const here = records.get(name) ?? [];
      const found = here.filter((record) => record.type === type);
      const alias = here.find((record) => record.type === 'CNAME');
      const given = found.length > 0 || !alias ? found : [alias];
      answers.push(...given.map(toAnswer));
      if (found.length > 0) return { flags: FLAGS, answers, authorities: [] };
      if (alias?.type !== 'CNAME') return { flags: FLAGS | (exists(name) ? 0 : NXDOMAIN), answers, authorities: [soaOf(name)] };
      name = alias.host;
    }
    return emptyResponse(SERVFAIL);
  };
}

function toAnswer(record: DnsRecord & { readonly name: string }): Answer {
  const { name, ttl = TTL_SECONDS } = record;
  switch (record.type) {
    case 'A':
    case 'AAAA':
      return { type: record.type, name, ttl, data: record.address };
    case 'CNAME':
    case 'NS':
      return { type: record.type, name, ttl, data: record.host };
    case 'MX':
      return { type: 'MX', name, ttl, data: { preference: record.preference, exchange: record.host } };
    case 'TXT':
      return { type: 'TXT', name, ttl, data: [record.text].flat() };
  }
}

/** SOA record of a negative response; its `minimum` is the negative TTL. */
const soaOf = (name: string): Answer => ({
  type: 'SOA',
  name: name.split('.').slice(-1).join('.'),
  ttl: TTL_SECONDS,
  data: {
    mname: 'ns.sandbox.test',
    rname: 'hostmaster.sandbox.test',
    serial: 20_261_121,
    refresh: 7_200,
    retry: 900,
    expire: 1_209_600,
    minimum: NEGATIVE_TTL_SECONDS,
  },
});
