import type { IncomingHttpHeaders } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** An answer larger than its cap, once unpacked. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

const UNPACKERS: Readonly<Record<string, () => Transform & { readonly bytesWritten: number }>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/** A body, unpacked. */
export interface Bytes {
  readonly bytes: Buffer;
  /** True where there was more than was asked for. */
  readonly cut: boolean;
}

/**
 * Body → its first `maxBytes` bytes. They are counted after unpacking and the stream is cut there, so a small bomb stays small.
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
    // A redirect or a 304 may be said to be packed and hold nothing at all.
    if (!((error as { code?: string }).code === 'Z_BUF_ERROR' && unpack?.bytesWritten === 0)) throw error;
  } finally {
    body.destroy();
    unpack?.destroy();
  }
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), cut: size > maxBytes };
}

/**
 * Body → text. UTF-8 where the bytes are valid UTF-8 (a BOM is dropped), else Windows-1252: labels are wrong too often to decide.
 * @throws BodyTooLarge past `maxBytes` once unpacked; the stream's error for a corrupt or cut body
 */
export async function readText(body: Readable, headers: IncomingHttpHeaders, maxBytes: number): Promise<string> {
  const { bytes, cut } = await readBytes(body, headers, maxBytes);
  if (cut) throw new BodyTooLarge(`more than ${maxBytes} bytes`);
  return decode(bytes);
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
