import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { connect, isIPv6 } from 'node:net';
import {
  type Answer,
  type DecodedPacket,
  decode,
  encode,
  type MxAnswer,
  RECURSION_DESIRED,
  streamEncode,
  type TxtAnswer,
} from 'dns-packet';
import { storable } from '../../domain/text.ts';
import { SECOND_MS } from '../../domain/time.ts';
import { type DnsAnswer, DnsFailure, type MxRecord, type Server } from './dns.ts';

export interface Question {
  readonly name: string;
  readonly type: 'A' | 'AAAA' | 'MX' | 'NS' | 'TXT';
}

const HEADER_BYTES = 12;
/**
 * Maximum number of records of an answer. A domain has some 100 texts at most, and each record may contain the longest name by a pointer
 * of two bytes.
 */
const MAX_RECORDS = 1_000;
/** Header flags of a truncated answer: QR and TC. */
const TRUNCATED_ANSWER = 0x8200;

/**
 * Sends one query to one server: over UDP with a new socket and a random id, then over TCP when the answer is truncated.
 * @throws DnsFailure `timeout` when `signal` aborts, `unreachable`, `malformed`
 */
export async function ask(server: Server, question: Question, signal: AbortSignal): Promise<DecodedPacket> {
  return (await overUdp(server, question, signal)) ?? overTcp(server, question, signal);
}

const queryOf = (id: number, { name, type }: Question) => ({
  type: 'query' as const,
  id,
  flags: RECURSION_DESIRED,
  questions: [{ name, type }],
});

/** Returns null when the answer is truncated. */
function overUdp(server: Server, question: Question, signal: AbortSignal): Promise<DecodedPacket | null> {
  const socket = createSocket(isIPv6(server.host) ? 'udp6' : 'udp4');
  const id = randomInt(0x10000);
  return exchanged<DecodedPacket | null>(signal, (take, fail) => {
    socket.on('error', (error) => fail(unreachable(error)));
    socket.on('connect', () => socket.send(encode(queryOf(id, question))));
    socket.on('message', (bytes) =>
      take(() => {
        if (!isAnswerTo(id, bytes)) return undefined; // the packet is forged, or answers an earlier query
        return (bytes.readUInt16BE(2) & TRUNCATED_ANSWER) === TRUNCATED_ANSWER ? null : read(bytes, question);
      }),
    );
    socket.connect(server.port, server.host);
  }).finally(() => socket.close());
}

function overTcp(server: Server, question: Question, signal: AbortSignal): Promise<DecodedPacket> {
  const socket = connect({ host: server.host, port: server.port });
  const id = randomInt(0x10000);
  let got = Buffer.alloc(0);
  return exchanged<DecodedPacket>(signal, (take, fail) => {
    socket.on('error', (error) => fail(unreachable(error)));
    socket.on('close', () => fail(new DnsFailure('malformed', 'the connection ended before the answer')));
    socket.on('data', (chunk) => {
      got = Buffer.concat([got, chunk]);
      if (got.length < 2 || got.length < 2 + got.readUInt16BE(0)) return;
      const bytes = got.subarray(2, 2 + got.readUInt16BE(0));
      take(() => {
        if (!isAnswerTo(id, bytes)) throw new DnsFailure('malformed', 'an answer to another question');
        return read(bytes, question);
      });
    });
    socket.write(streamEncode(queryOf(id, question)));
  }).finally(() => socket.destroy());
}

/** Settles with the first value other than `undefined` that `take` receives, or with the first failure. */
function exchanged<T>(
  signal: AbortSignal,
  start: (take: (read: () => T | undefined) => void, fail: (why: DnsFailure) => void) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const late = () => reject(new DnsFailure('timeout', 'the name server did not answer in time'));
    if (signal.aborted) late();
    signal.addEventListener('abort', late, { once: true });
    start((read) => {
      try {
        const taken = read();
        if (taken !== undefined) resolve(taken);
      } catch (error) {
        reject(error);
      }
    }, reject);
  });
}

const isAnswerTo = (id: number, bytes: Buffer): boolean => bytes.length >= HEADER_BYTES && bytes.readUInt16BE(0) === id;

/** Decodes a packet; `undefined` for an answer to another question, which is ignored like a forged one. @throws DnsFailure `malformed` */
function read(bytes: Buffer, question: Question): DecodedPacket | undefined {
  let packet: DecodedPacket;
  const records = [6, 8, 10].reduce((sum, at) => sum + bytes.readUInt16BE(at), 0);
  if (records > MAX_RECORDS) throw new DnsFailure('malformed', `more than ${MAX_RECORDS} records`);
  try {
    packet = decode(bytes);
    if (!(decode.bytes <= bytes.length)) throw new Error('a record that goes on past the end');
  } catch (cause) {
    throw new DnsFailure('malformed', 'the answer cannot be read', { cause });
  }
  if (packet.type !== 'response') throw new DnsFailure('malformed', 'a question instead of an answer');
  const [about] = packet.questions ?? [];
  return !about || (about.type === question.type && about.name.toLowerCase() === question.name) ? packet : undefined;
}

const unreachable = (cause: Error): DnsFailure => new DnsFailure('unreachable', 'the name server cannot be reached', { cause });

/** Content of a packet: an answer, or an alias whose target has no records in the packet. */
type Reading = { readonly answer: DnsAnswer<Answer> } | { readonly alias: string; readonly ttlMs: number };

const NO_ERROR = 0;
const NO_NAME = 3;
const FAILURES: Readonly<Record<number, string>> = { 2: 'servfail', 4: 'refused', 5: 'refused', 9: 'refused' };
/** Maximum TTL. A TTL with its highest bit set counts as zero (RFC 2181 § 8). */
const MAX_TTL = 0x7fff_ffff;

/** @throws DnsFailure `servfail`, `refused`, `malformed` */
export function readAnswer(packet: DecodedPacket, { name, type }: Question): Reading {
  const code = (packet.flags ?? 0) & 0xf;
  if (code !== NO_ERROR && code !== NO_NAME)
    throw new DnsFailure(FAILURES[code] ?? 'malformed', `the name server answered with code ${code}`);
  const { answers = [], authorities = [] } = packet;
  const { owner, ttls } = followAliases(answers, name);
  const records = answers.filter((one) => one.type === type && one.name.toLowerCase() === owner);
  const ttl = (more: readonly number[]) => Math.min(...ttls, ...more) * SECOND_MS;
  if (records.length > 0) return { answer: { status: 'found', records, ttlMs: ttl(records.map(ttlOf)) } };
  const soa = authorities.find((one) => one.type === 'SOA');
  if (code === NO_ERROR && !soa) {
    if (owner !== name) return { alias: owner, ttlMs: ttl([]) };
    if (authorities.some((one) => one.type === 'NS')) throw new DnsFailure('malformed', 'the name server refers to others');
  }
  const negative = soa?.type === 'SOA' ? Math.min(ttlOf(soa), soa.data.minimum ?? 0) : 0;
  return { answer: { status: code === NO_NAME ? 'no_name' : 'no_data', records: [], ttlMs: ttl([negative]) } };
}

/** Follows the aliases of `name` within a packet. Returns the last name, and the TTL of each alias. */
function followAliases(answers: readonly Answer[], name: string): { owner: string; ttls: readonly number[] } {
  const aliases = new Map(answers.toReversed().flatMap((one) => (one.type === 'CNAME' ? [[one.name.toLowerCase(), one] as const] : [])));
  const seen = new Set([name]);
  const ttls: number[] = [];
  for (let owner = name; ; ) {
    const alias = aliases.get(owner);
    if (!alias) return { owner, ttls };
    owner = alias.data.toLowerCase();
    if (seen.has(owner)) throw new DnsFailure('malformed', 'aliases that run in a circle');
    seen.add(owner);
    ttls.push(ttlOf(alias));
  }
}

function ttlOf(answer: Answer): number {
  const ttl = 'ttl' in answer ? (answer.ttl ?? 0) : 0;
  return ttl > MAX_TTL ? 0 : ttl;
}

const host = (name: string): string => storable(name).toLowerCase().replace(/\.$/, '');

export const readMx = (answer: Answer): MxRecord => {
  const { exchange, preference = 0 } = (answer as MxAnswer).data;
  return { exchange: host(exchange), preference };
};

export const readNs = (answer: Answer): string => host((answer as { data: string }).data);

export const readTxt = (answer: Answer): string =>
  storable(
    [(answer as TxtAnswer).data]
      .flat()
      .map((piece) => piece.toString())
      .join(''),
  );

export const readAddress = (answer: Answer): string => (answer as { data: string }).data;
