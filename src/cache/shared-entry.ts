import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { z } from 'zod';
import { AppError } from '../domain/errors.ts';
import { messageOf } from '../messages/message.ts';
import type { CachePolicy, Fetched } from './ttl-cache.ts';

/** Answers of one loader that processes share. */
export interface SharedAnswers<K, V> {
  /** Name of the loader. */
  readonly name: string;
  /** Maps a key to its cache key, which contains the version of the data. An answer is not stored if its cache key changes meanwhile. */
  readonly key: (key: K) => string;
  readonly policy: CachePolicy<V>;
  /**
   * Schema of the values. An entry that does not match counts as absent. A hash of the schema is part of the keys in Redis, so releases
   * with different schemas share nothing.
   */
  readonly schema: z.ZodType<V>;
}

const COMPRESSED_FROM_BYTES = 1_024;
/** Maximum size of a shared answer. */
const MAX_ENTRY_BYTES = 256 * 1_024;
/** Maximum size of a decompressed entry. */
const MAX_JSON_BYTES = 4 * 1_024 * 1_024;
/** First byte of compressed data. JSON begins with another byte. */
const GZIP = 0x1f;

const ENTRY = z.object({
  value: z.unknown(),
  dataAsOf: z.string().nullable(),
  fetchedAt: z.number(),
  goodUntil: z.number().optional(),
  /** Times of the request to the source and of its response, by the clock of the process that called it. */
  requestedAt: z.number(),
  receivedAt: z.number(),
});

/** Encodes an entry as JSON, compressed from COMPRESSED_FROM_BYTES on. Returns null for an answer that is too large. */
export async function writeEntry(entry: z.infer<typeof ENTRY>): Promise<Buffer | null> {
  const json = Buffer.from(JSON.stringify(entry));
  if (json.length > MAX_JSON_BYTES) return null;
  const bytes = json.length < COMPRESSED_FROM_BYTES ? json : await promisify(gzip)(json);
  return bytes.length > MAX_ENTRY_BYTES ? null : bytes;
}

/**
 * Reads an entry; undefined for an entry that does not match the schema, and for one that may not be served any more. @param now epoch ms
 */
export async function readEntry<V>(
  bytes: Buffer,
  { schema, policy }: SharedAnswers<never, V>,
  now: number,
): Promise<Fetched<V> | undefined> {
  try {
    const json = bytes[0] === GZIP ? await promisify(gunzip)(bytes, { maxOutputLength: MAX_JSON_BYTES }) : bytes;
    const { requestedAt, receivedAt, goodUntil, ...entry } = ENTRY.parse(JSON.parse(json.toString()));
    const value = schema.parse(entry.value);
    // The time is limited, because a process whose clock is ahead must not make an answer younger than it is.
    const shared = { requestedAt: Math.min(requestedAt, now), receivedAt: Math.min(receivedAt, now) };
    if (now >= Math.min(shared.receivedAt + policy.maxStaleAgeMs(value), goodUntil ?? Number.POSITIVE_INFINITY)) return undefined;
    return { ...entry, value, ...(goodUntil !== undefined && { goodUntil }), shared };
  } catch {
    return undefined;
  }
}

const FAILURE = z.object({
  code: z.enum(['SOURCE_UNAVAILABLE', 'DOMAIN_NOT_RESOLVED']),
  message: z.string(),
  text: z
    .object({ code: z.string(), parameters: z.record(z.string(), z.union([z.string(), z.number()])) })
    .optional()
    .catch(undefined),
  facts: z.object({ source: z.string(), field: z.string(), retryAfterSeconds: z.number() }).partial(),
});

/** Writes the failure of a source as text; empty for another error, which waiting processes may not encounter themselves. */
export const writeFailure = (error: unknown): string => {
  const { data } = FAILURE.safeParse(error);
  return data ? JSON.stringify(data) : '';
};

/** @throws Error for a text that `writeFailure` did not write */
export function readFailure(text: Buffer): AppError {
  const { code, message, text: written, facts } = FAILURE.parse(JSON.parse(text.toString()));
  const said = written ? messageOf(written.code, written.parameters) : null;
  return new AppError(code, said ?? message, facts, { cause: new Error('the call of another process failed') });
}
