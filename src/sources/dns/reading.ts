import type { Answer, DecodedPacket, MxAnswer, TxtAnswer } from 'dns-packet';
import { SECOND_MS } from '../../domain/time.ts';
import { type DnsAnswer, DnsFailure, type MxRecord } from './dns.ts';
import type { Question } from './wire.ts';

/** What a packet says: an answer, or that the name is another one's alias of which the packet says no more. */
export type Reading = { readonly answer: DnsAnswer<Answer> } | { readonly alias: string; readonly ttlMs: number };

const NO_ERROR = 0;
const NO_NAME = 3;
const FAILURES: Readonly<Record<number, string>> = { 2: 'servfail', 4: 'refused', 5: 'refused', 9: 'refused' };
/** RFC 2181 § 8: a TTL with its highest bit set counts as zero. */
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

/** The name at the end of the aliases of `name`, and the TTL of each. */
function followAliases(answers: readonly Answer[], name: string): { owner: string; ttls: readonly number[] } {
  const seen = new Set([name]);
  const ttls: number[] = [];
  for (let owner = name; ; ) {
    const alias = answers.find((one) => one.type === 'CNAME' && one.name.toLowerCase() === owner);
    if (alias?.type !== 'CNAME') return { owner, ttls };
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

const host = (name: string): string => name.toLowerCase().replace(/\.$/, '');

export const readMx = (answer: Answer): MxRecord => {
  const { exchange, preference = 0 } = (answer as MxAnswer).data;
  return { exchange: host(exchange), preference };
};

export const readNs = (answer: Answer): string => host((answer as { data: string }).data);

export const readTxt = (answer: Answer): string =>
  [(answer as TxtAnswer).data]
    .flat()
    .map((piece) => piece.toString())
    .join('');

export const readAddress = (answer: Answer): string => (answer as { data: string }).data;
