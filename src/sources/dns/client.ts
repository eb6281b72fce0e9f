import { getServers } from 'node:dns';
import type { Answer } from 'dns-packet';
import type { Logger } from 'pino';
import { type Clock, SECOND_MS } from '../../domain/time.ts';
import type { OnCall } from '../call-hours/recorder.ts';
import { createCallSlots, createHttpPolicy, refusalClass } from '../http/policy.ts';
import { type Dns, type DnsAnswer, DnsFailure, type DnsHealth, readServer, type Server } from './dns.ts';
import { ask, type Question, readAddress, readAnswer, readMx, readNs, readTxt } from './wire.ts';

export interface DnsOptions {
  /** Servers as host:port, tried in this order. A single one is tried twice. If empty, the servers of the operating system are used. */
  readonly servers: readonly string[];
  /** Origin of the servers; default `given` when `servers` has any, else `live`. */
  readonly origin?: DnsHealth['origin'];
  /** Maximum number of concurrent queries; default 16. */
  readonly concurrency?: number;
  /** True if failures open a circuit breaker; default true. False if outsiders choose the names and could open it on purpose. */
  readonly rests?: boolean;
  /** Called after each query that was not cancelled, if failures open a circuit breaker. */
  readonly onCall?: OnCall | undefined;
  readonly now: Clock;
  readonly log: Logger;
}

const TRY_MS = 2 * SECOND_MS;
/** Deadline of a query, including the wait for a slot, all tries and all aliases. */
const QUESTION_MS = 5 * SECOND_MS;
/** Maximum wait for IPv6 addresses after IPv4 addresses arrived, because some name servers never answer AAAA queries. */
const GRACE_MS = SECOND_MS / 2;
const CONCURRENCY = 16;
const MAX_ALIASES = 8;

export function createDns(options: DnsOptions): Dns {
  const { servers, origin = servers.length > 0 ? 'given' : 'live', concurrency = CONCURRENCY, rests = true, now, log, onCall } = options;
  const all = (servers.length > 0 ? servers : getServers()).flatMap((text) => readServer(text) ?? []);
  const tries = all.length === 1 ? [...all, ...all] : all;
  const slots = createCallSlots(concurrency);
  const policy = createHttpPolicy(now, { onCall });
  let lastSuccessAt: number | null = null;
  let lastFailure: { readonly at: number; readonly kind: string } | null = null;

  /** Resolves one query within `QUESTION_MS`. Aborting `cancel` ends it without counting as a failure of the servers. @throws DnsFailure */
  async function resolveQuestion(question: Question, cancel: AbortSignal): Promise<DnsAnswer<Answer>> {
    const signal = AbortSignal.timeout(QUESTION_MS);
    const ended = AbortSignal.any([signal, cancel]);
    const work = () => resolve(tries, question, ended);
    try {
      const requested = slots(() => {
        if (ended.aborted) throw noAnswerFailure();
        const tried = () => Promise.race([resolvedOnAbort(cancel), work(), rejectedOnAbort(signal)]);
        return rests ? policy.attempt(tried) : tried();
      }, ended);
      const answer = await Promise.race([requested, resolvedOnAbort(cancel), rejectedOnAbort(signal)]);
      if (answer instanceof DnsFailure) throw answer;
      lastSuccessAt = now();
      return answer;
    } catch (error) {
      const failure =
        error instanceof DnsFailure ? error : new DnsFailure(refusalClass(error) ?? 'malformed', 'not asked', { cause: error });
      lastFailure = { at: now(), kind: failure.kind };
      log.warn({ kind: failure.kind, type: question.type, err: failure }, 'a question to the name servers failed');
      throw failure;
    }
  }

  async function answers<T>(
    name: string,
    type: Question['type'],
    read: (record: Answer) => T,
    cancel = new AbortController().signal,
  ): Promise<DnsAnswer<T>> {
    const { status, records, ttlMs } = await resolveQuestion({ name: normalizedName(name), type }, cancel);
    return { status, records: records.map(read), ttlMs };
  }

  return {
    mx: (name) => answers(name, 'MX', readMx),
    txt: (name) => answers(name, 'TXT', readTxt),
    ns: (name) => answers(name, 'NS', readNs),
    async addresses(name) {
      const cancel = new AbortController();
      const v4 = answers(name, 'A', readAddress).then((answer) => {
        if (answer.status === 'found') setTimeout(() => cancel.abort(), GRACE_MS).unref();
        return answer;
      });
      const v6 = answers(name, 'AAAA', readAddress, cancel.signal);
      return mergeAddressKinds(await Promise.allSettled([v4, v6]));
    },
    health: () => ({
      origin,
      circuit: policy.circuit(),
      lastSuccessAt,
      lastErrorAt: lastFailure?.at ?? null,
      lastError: lastFailure?.kind ?? null,
      recentCalls: policy.recentCalls(),
    }),
  };
}

/**
 * Queries the servers until one answers, and follows aliases. A failure that a server answered is returned as a value, so that only
 * servers that do not answer open the circuit breaker.
 * @throws DnsFailure `timeout`, `unreachable`
 */
async function resolve(servers: readonly Server[], question: Question, signal: AbortSignal): Promise<DnsAnswer<Answer> | DnsFailure> {
  let name = question.name;
  let ttlMs = Number.POSITIVE_INFINITY;
  for (let hops = 0; hops <= MAX_ALIASES; hops += 1) {
    const outcome = await tryEach(servers, { ...question, name }, signal);
    if (outcome instanceof DnsFailure) return outcome;
    if ('answer' in outcome) return { ...outcome.answer, ttlMs: Math.min(ttlMs, outcome.answer.ttlMs) };
    name = outcome.alias;
    ttlMs = Math.min(ttlMs, outcome.ttlMs);
  }
  return new DnsFailure('malformed', `more than ${MAX_ALIASES} aliases`);
}

async function tryEach(servers: readonly Server[], question: Question, signal: AbortSignal) {
  let serverFailure: DnsFailure | null = null;
  let noAnswer = noAnswerFailure();
  for (const server of servers) {
    if (signal.aborted) break;
    try {
      return readAnswer(await ask(server, question, AbortSignal.any([signal, AbortSignal.timeout(TRY_MS)])), question);
    } catch (error) {
      const failure = error as DnsFailure;
      if (isNoAnswer(failure)) noAnswer = failure;
      else serverFailure = failure;
    }
  }
  if (serverFailure) return serverFailure;
  throw noAnswer;
}

/** Merges IPv4 and IPv6 results: found when either kind is, absent only when both are. @throws DnsFailure when none is found and one kind failed */
function mergeAddressKinds(kinds: readonly PromiseSettledResult<DnsAnswer<string>>[]): DnsAnswer<string> {
  const known = kinds.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  const found = known.filter(({ status }) => status === 'found');
  const failed = kinds.find((one) => one.status === 'rejected');
  if (found.length === 0 && failed) throw failed.reason;
  const counted = found.length > 0 ? found : known;
  return {
    status: found.length > 0 ? 'found' : known.every(({ status }) => status === 'no_name') ? 'no_name' : 'no_data',
    records: found.flatMap(({ records }) => records),
    ttlMs: Math.min(...counted.map(({ ttlMs }) => ttlMs)),
  };
}

/** Returns a name in lower case without the dot at its end. @throws DnsFailure `bad_name` for a name that cannot be encoded in a query */
function normalizedName(name: string): string {
  const plain = name.toLowerCase().replace(/\.$/, '');
  const labels = plain.split('.');
  if (plain.length > 253 || !labels.every((label) => /^[\x21-\x7e]{1,63}$/.test(label))) {
    throw new DnsFailure('bad_name', 'this is no name of the domain name system');
  }
  return plain;
}

const isNoAnswer = ({ kind }: DnsFailure): boolean => kind === 'timeout' || kind === 'unreachable';
const noAnswerFailure = (): DnsFailure => new DnsFailure('timeout', 'no name server answered in time');

function resolvedOnAbort(signal: AbortSignal): Promise<DnsFailure> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve(noAnswerFailure());
    signal.addEventListener('abort', () => resolve(noAnswerFailure()), { once: true });
  });
}

function rejectedOnAbort(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(noAnswerFailure());
    signal.addEventListener('abort', () => reject(noAnswerFailure()), { once: true });
  });
}
