import { randomInt } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { connect, isIPv6 } from 'node:net';
import { type DecodedPacket, decode, encode, RECURSION_DESIRED, streamEncode } from 'dns-packet';
import { DnsFailure } from './dns.ts';
import type { Server } from './server-address.ts';

export interface Question {
  readonly name: string;
  readonly type: 'A' | 'AAAA' | 'MX' | 'NS' | 'TXT';
}

const HEADER_BYTES = 12;
/** An answer, and cut. */
const CUT = 0x8200;

/**
 * Asks one server once: by UDP from a socket and under an id of the question's own, by TCP where the answer does not fit.
 * @throws DnsFailure `timeout` when `signal` ends it, `unreachable`, `malformed`
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

/** Null where the server says that its answer was cut. */
function overUdp(server: Server, question: Question, signal: AbortSignal): Promise<DecodedPacket | null> {
  const socket = createSocket(isIPv6(server.host) ? 'udp6' : 'udp4');
  const id = randomInt(0x10000);
  return exchanged<DecodedPacket | null>(signal, (take, fail) => {
    socket.on('error', (error) => fail(unreachable(error)));
    socket.on('connect', () => socket.send(encode(queryOf(id, question))));
    socket.on('message', (bytes) =>
      take(() => {
        if (!isAnswerTo(id, bytes)) return undefined; // not from whom we asked, or late
        return (bytes.readUInt16BE(2) & CUT) === CUT ? null : read(bytes, question);
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

/** Settles with the first thing that `take` makes of what arrives, its `undefined` left aside, or fails. */
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

/** The packet; a whole one about another question is left aside as a forgery would be. @throws DnsFailure `malformed` */
function read(bytes: Buffer, question: Question): DecodedPacket | undefined {
  let packet: DecodedPacket;
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
