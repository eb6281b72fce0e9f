import type { IncomingHttpHeaders } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import manifest from '../../../package.json' with { type: 'json' };
import { decoded } from '../../domain/encoding.ts';
import { storable } from '../../domain/text.ts';
import { SECOND_MS } from '../../domain/time.ts';

/** Major and minor version of the service, such as `1.4`. */
const VERSION = manifest.version.replace(/\.\d+$/, '');

/**
 * User agent of all requests except webhooks. Several registries refuse the default agents of HTTP libraries, and one requires
 * `Mozilla/<digit>` and at least 40 characters.
 */
export const USER_AGENT = `Mozilla/5.0 (compatible; Quipu/${VERSION}; company registry checks; +https://github.com/quipu/quipu)`;

/** User agent of webhooks, by which receivers recognise them. */
export const WEBHOOK_USER_AGENT = `Quipu-Webhooks/${VERSION} (+https://github.com/quipu/quipu)`;

/** Parses `Retry-After`, in seconds or as a date, to ms from `now` (epoch ms). */
export function retryAfterMs(headers: IncomingHttpHeaders, now: number = Date.now()): number | null {
  const text = headers['retry-after'];
  if (!text) return null;
  if (/^\d+$/.test(text.trim())) return Number(text) * SECOND_MS;
  const at = Date.parse(text);
  return Number.isNaN(at) ? null : Math.max(0, at - now);
}

/** Thrown for a response that exceeds its maximum size after decompression, or its maximum number of values. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

const UNPACKERS: Readonly<Record<string, () => Transform & { readonly bytesWritten: number }>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** A decompressed body. */
export interface Bytes {
  readonly bytes: Buffer;
  /** True when the body had more than `maxBytes`. */
  readonly cut: boolean;
}

/**
 * Reads the first `maxBytes` bytes of a body. Bytes are counted after decompression and the stream ends there, which stops zip bombs.
 * @throws the stream's error for a corrupt or cut body
 */
export async function readBytes(body: Readable, headers: IncomingHttpHeaders, maxBytes: number): Promise<Bytes> {
  const encoding = String(headers['content-encoding'] ?? '').toLowerCase();
  const unpack = UNPACKERS[encoding]?.();
  if (encoding && encoding !== 'identity' && !unpack) throw new Error(`unknown content-encoding ${encoding}`);
  const source = unpack ? body.pipe(unpack) : body;
  body.on('error', (error) => unpack?.destroy(error));
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      size += chunk.length;
      chunks.push(chunk);
      if (size > maxBytes) break;
    }
  } catch (error) {
    // A redirect or a 304 may declare an encoding and have an empty body.
    if (!((error as { code?: string }).code === 'Z_BUF_ERROR' && unpack?.bytesWritten === 0)) throw error;
  } finally {
    body.destroy();
    unpack?.destroy();
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), cut: size > maxBytes };
}

/**
 * Decodes a body: UTF-8 when the bytes are valid UTF-8 (a BOM is dropped), else Windows-1252. Charset labels are ignored because they are often wrong.
 * @throws BodyTooLarge past `maxBytes` once unpacked; the stream's error for a corrupt or cut body
 */
export async function readText(body: Readable, headers: IncomingHttpHeaders, maxBytes: number): Promise<string> {
  const { bytes, cut } = await readBytes(body, headers, maxBytes);
  if (cut) throw new BodyTooLarge(`more than ${maxBytes} bytes`);
  return decoded(bytes);
}

/** Codes of comma, opening brace and opening bracket. */
const MARKS = [0x2c, 0x7b, 0x5b];

/**
 * Limits the number of values of a JSON text, because the time to parse it depends more on them than on its bytes. Commas within texts
 * count, too.
 * @throws BodyTooLarge for more than `max`
 */
export function requireFewValues(bytes: Buffer, max: number): void {
  let values = 0;
  for (const mark of MARKS) {
    for (let at = bytes.indexOf(mark); at !== -1; at = bytes.indexOf(mark, at + 1)) {
      values += 1;
      if (values > max) throw new BodyTooLarge(`more than ${max} values`);
    }
  }
}

/** Makes the texts of a parsed JSON value storable, in place. Nesting may be of any depth. */
export function storableJson(json: unknown): unknown {
  const todo: object[] = [];
  const read = (value: unknown): unknown => {
    if (typeof value === 'string') return storable(value);
    if (typeof value === 'object' && value !== null) todo.push(value);
    return value;
  };
  const root = read(json);
  for (let value = todo.pop(); value !== undefined; value = todo.pop()) {
    if (Array.isArray(value)) for (let i = 0; i < value.length; i += 1) value[i] = read(value[i]);
    else for (const name of Object.keys(value)) (value as Record<string, unknown>)[name] = read((value as Record<string, unknown>)[name]);
  }
  return root;
}
