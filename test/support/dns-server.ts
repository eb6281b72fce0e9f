import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { type Answer, decode, encode, type Question, RECURSION_AVAILABLE, TRUNCATED_RESPONSE } from 'dns-packet';
import { onTestFinished } from 'vitest';
import { atPort } from './ports.ts';

export interface DnsQuestion {
  readonly name: string;
  /** Type such as `A`, `AAAA`, `MX`, `TXT`, `NS`. */
  readonly type: string;
  readonly via: 'udp' | 'tcp';
}

/** The reply of a name server: records, a response code, raw bytes after the correct id, or no reply. */
export type DnsReply = DnsPacket | Buffer | 'silence';

export interface DnsPacket {
  readonly rcode?: number;
  readonly answers?: readonly Answer[];
  readonly authorities?: readonly Answer[];
  /** Sets the TC (truncated) bit in UDP replies. */
  readonly truncated?: boolean;
  /** Overrides of the correct values, as in a spoofed reply or by a faulty server. */
  readonly id?: number;
  readonly questions?: Question[];
  readonly type?: 'query';
  /** A packet that is sent before this one. */
  readonly before?: DnsPacket;
}

export const NXDOMAIN = 3;
export const SERVFAIL = 2;
export const REFUSED = 5;

export interface TestDns {
  /** Address host:port for `createDns({ servers })` and QUIPU_DNS_SERVERS. */
  readonly address: string;
  /** All questions received, in order. */
  readonly asked: readonly DnsQuestion[];
  /** Closes the TCP server; UDP stays open. */
  closeTcp(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a name server on loopback for one test and closes it after the test. Calls `reply` for each question; `nth` counts from 1. */
export async function dnsServer(reply: (question: DnsQuestion, nth: number) => DnsReply): Promise<TestDns> {
  const server = await startDnsServer(reply);
  onTestFinished(() => server.close());
  return server;
}

/** Does the same as `dnsServer`, but the caller closes the server. */
export async function startDnsServer(reply: (question: DnsQuestion, nth: number) => DnsReply): Promise<TestDns> {
  const asked: DnsQuestion[] = [];
  const answer = (query: Buffer, via: DnsQuestion['via'], send: (packet: Buffer) => void): void => {
    const { id, questions = [] } = decode(query);
    const question = { name: questions[0]?.name ?? '', type: questions[0]?.type ?? '', via };
    asked.push(question);
    const said = reply(question, asked.length);
    if (Buffer.isBuffer(said)) send(Buffer.concat([query.subarray(0, 2), said]));
    else if (said !== 'silence') {
      for (const packet of said.before ? [said.before, said] : [said]) send(packed(packet, via, { id: id ?? 0, questions }));
    }
  };
  const tcp = createServer((socket: Socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (bytes) => answer(bytes.subarray(2), 'tcp', (packet) => socket.write(framed(packet))));
  });
  const sockets = new Set<Socket>();
  tcp.on('connection', (socket) => sockets.add(socket));
  const { udp, port } = await atPort(async (port) => {
    const udp = createSocket('udp4', (bytes, from) => answer(bytes, 'udp', (packet) => udp.send(packet, from.port, from.address)));
    await once(udp.bind(port, '127.0.0.1'), 'listening');
    await once(tcp.listen(port, '127.0.0.1'), 'listening').catch((error) => {
      udp.close();
      throw error;
    });
    return { udp, port };
  });
  const closeTcp = async () => {
    const closed = new Promise((resolve) => tcp.close(resolve));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    address: `127.0.0.1:${port}`,
    asked,
    closeTcp,
    async close() {
      udp.close();
      await closeTcp();
    },
  };
}

function packed(packet: DnsPacket, via: DnsQuestion['via'], asked: { id: number; questions: Question[] }): Buffer {
  const { rcode = 0, answers = [], authorities = [], truncated = false, type = 'response' } = packet;
  const flags = RECURSION_AVAILABLE | rcode | (truncated && via === 'udp' ? TRUNCATED_RESPONSE : 0);
  const { id, questions } = { ...asked, ...packet };
  return encode({ type, id, flags, questions, answers: [...answers], authorities: [...authorities] });
}

function framed(packet: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(packet.length);
  return Buffer.concat([length, packet]);
}

/** Creates the replies of a simple zone: the records of a name, by type; NXDOMAIN with a negative TTL of 300 s for an unknown name. */
export function zoneReply(names: Readonly<Record<string, readonly ZoneRecord[]>>): (question: DnsQuestion, nth?: number) => DnsReply {
  return ({ name, type }) => {
    const records = names[name.toLowerCase()];
    const answers = (records ?? []).filter((one) => one.type === type || one.type === 'CNAME').map((one) => ({ ttl: 3600, ...one, name }));
    const authorities = answers.length > 0 ? [] : [soa(300)];
    return { rcode: records ? 0 : NXDOMAIN, answers: answers as Answer[], authorities };
  };
}

type ZoneRecord =
  | { readonly type: 'A' | 'AAAA' | 'CNAME' | 'NS'; readonly data: string; readonly ttl?: number }
  | { readonly type: 'MX'; readonly data: { readonly preference: number; readonly exchange: string }; readonly ttl?: number }
  | { readonly type: 'TXT'; readonly data: string | string[]; readonly ttl?: number };

/** Creates the SOA record, whose `minimum` is the TTL of a negative answer in seconds. */
export const soa = (negativeTtl: number): Answer => ({
  type: 'SOA',
  name: 'test',
  ttl: 86_400,
  data: { mname: 'ns.test', rname: 'hostmaster.test', serial: 1, refresh: 7200, retry: 900, expire: 1_209_600, minimum: negativeTtl },
});
