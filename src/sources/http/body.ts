import type { IncomingHttpHeaders } from 'node:http';
import type { Readable, Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';

/** An answer larger than its cap, once unpacked. */
export class BodyTooLarge extends Error {
  override readonly name = 'BodyTooLarge';
}

const UNPACKERS: Readonly<Record<string, () => Transform>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
};

/**
 * Body → text. Bytes are counted after unpacking and the stream is cut at the cap, so a small bomb stays small.
 * UTF-8 where the bytes are valid UTF-8 (a BOM is dropped), else Windows-1252: labels are wrong too often to decide.
 * @throws BodyTooLarge past `maxBytes`; the stream's error for a corrupt or cut body
 */
export async function readText(body: Readable, headers: IncomingHttpHeaders, maxBytes: number): Promise<string> {
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
      if (size > maxBytes) throw new BodyTooLarge(`more than ${maxBytes} bytes`);
      chunks.push(chunk);
    }
  } finally {
    body.destroy();
    unpack?.destroy();
  }
  return decode(Buffer.concat(chunks));
}

function decode(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
