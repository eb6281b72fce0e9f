import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type Answer, decode, encode, type Question, RECURSION_AVAILABLE, TRUNCATED_RESPONSE } from 'dns-packet';
import { onTestFinished } from 'vitest';

export interface DnsQuestion {
  readonly name: string;
  /** `A`, `AAAA`, `MX`, `TXT`, `NS`, … */
  readonly type: string;
  readonly via: 'udp' | 'tcp';
}

/** What a name server says: records, a code, bytes that follow the right id in place of a packet, or nothing at all. */
export type DnsReply = DnsPacket | Buffer | 'silence';

export interface DnsPacket {
  readonly rcode?: number;
  readonly answers?: readonly Answer[];
  readonly authorities?: readonly Answer[];
  /** Sets the bit that says "cut", by UDP. */
  readonly truncated?: boolean;
  /** In place of the right ones, as a forger or a broken server would. */
  readonly id?: number;
  readonly questions?: Question[];
  readonly type?: 'query';
  /** Sent first. */
  readonly before?: DnsPacket;
}

export const NXDOMAIN = 3;
export const SERVFAIL = 2;
export const REFUSED = 5;

export interface TestDns {
  /** host:port, as `createDns({ servers })` and QUIPU_DNS_SERVERS take it. */
  readonly address: string;
  /** Every question, in order. */
  readonly asked: readonly DnsQuestion[];
  /** Leaves UDP alone. */
  closeTcp(): Promise<void>;
  close(): Promise<void>;
}

/** A name server on loopback for one test: `reply` is asked for each question; `nth` counts from 1. */
export async function dnsServer(reply: (question: DnsQuestion, nth: number) => DnsReply): Promise<TestDns> {
  const server = await standInDns(reply);
  onTestFinished(() => server.close());
  return server;
}

/** The same for as long as its maker wants. */
export async function standInDns(reply: (question: DnsQuestion, nth: number) => DnsReply): Promise<TestDns> {
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
  await once(tcp.listen(0, '127.0.0.1'), 'listening');
  const { port } = tcp.address() as AddressInfo;
  const udp = createSocket('udp4', (bytes, from) => answer(bytes, 'udp', (packet) => udp.send(packet, from.port, from.address)));
  udp.bind(port, '127.0.0.1');
  await once(udp, 'listening');
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

/** What a simple zone says: the records of a name, by type; NXDOMAIN, with a negative TTL of 300 s, for a name that has none. */
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

/** The record by which a zone says for how long an absence holds. */
export const soa = (negativeTtl: number): Answer => ({
  type: 'SOA',
  name: 'test',
  ttl: 86_400,
  data: { mname: 'ns.test', rname: 'hostmaster.test', serial: 1, refresh: 7200, retry: 900, expire: 1_209_600, minimum: negativeTtl },
});
