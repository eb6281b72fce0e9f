import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import type { Published, SimulatedReply } from './simulator.ts';

/** Bytes 0x80–0xFF of Windows-1252, which Latin-1 and Node's own encodings do not share. */
const UPPER_HALF = new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 128 }, (_, i) => 128 + i));

function windows1252(char: string): number {
  if (char < '\x80') return char.charCodeAt(0);
  const place = UPPER_HALF.indexOf(char);
  return place === -1 ? '?'.charCodeAt(0) : 128 + place;
}

/** Text → bytes; `?` for what Windows-1252 cannot say. */
export function encode(text: string, charset: Published['charset']): Buffer {
  if (charset === 'utf-8') return Buffer.from(text);
  return Buffer.from(Array.from(text, windows1252));
}

/** A body as it goes on the wire. */
export async function bytesOf(body: SimulatedReply['body'], text?: string, charset?: Published['charset']): Promise<Buffer> {
  if (typeof body === 'string' || Buffer.isBuffer(body)) return Buffer.from(body);
  const bytes = encode(text ?? body.frame(body.rows), charset ?? body.charset);
  return body.pack ? body.pack(bytes) : bytes;
}

/** A zip with one member, the same bytes for the same input. */
export const zipped = (member: string, bytes: Buffer, modifiedMs: number): Promise<Buffer> => zippedFiles([[member, bytes]], modifiedMs);

/** A zip of these files by name, in their order. */
export async function zippedFiles(files: Iterable<readonly [name: string, bytes: Buffer]>, modifiedMs: number): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, bytes] of files) zip.addBuffer(bytes, name, { mtime: new Date(modifiedMs) });
  zip.end();
  return buffer(zip.outputStream);
}

/** A JSON answer. `key` is the property without which the answer says nothing. */
export function jsonReply(
  status: number,
  value: Readonly<Record<string, unknown>>,
  key: string,
  headers: Readonly<Record<string, string>> = {},
): SimulatedReply {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: {
      format: 'json',
      rows: Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}:${JSON.stringify(member)}`),
      frame: (rows) => `{${rows.join(',')}}`,
      misname: (text) => text.replace(`"${key}"`, `"outro_${key}"`),
      charset: 'utf-8',
    },
  };
}

/** A published file, dated. */
export function fileReply(contentType: string, body: Published, modifiedMs: number): SimulatedReply {
  return { status: 200, headers: { 'content-type': contentType, 'last-modified': new Date(modifiedMs).toUTCString() }, body };
}
