import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import type { MutableWorld } from '../world/mutable-world.ts';

/** A request as a simulated upstream sees it. */
export interface SimulatedRequest {
  readonly method: string;
  /** Path below the simulator's own prefix, starting with `/`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Epoch ms on the sandbox's clock: decides which editions are out. */
  readonly now: number;
  /** What an operator changed of the made-up world. */
  readonly world: MutableWorld;
}

/** A document before it is encoded: what a fault can damage and still send well framed. */
export interface Published {
  readonly format: 'json' | 'csv' | 'xml' | 'html';
  /** Records of a list, or members of a JSON object, in order. */
  readonly rows: readonly string[];
  /** Rows → the whole text. Counts that the text states follow the rows given. */
  readonly frame: (rows: readonly string[]) => string;
  /** The text, its one indispensable column, element or property renamed or gone. */
  readonly misname: (text: string) => string;
  readonly charset: 'utf-8' | 'windows-1252';
  /** Text in its charset → the file as published, e.g. zipped. The text itself where left out. */
  readonly pack?: (bytes: Buffer) => Promise<Buffer>;
}

export interface SimulatedReply {
  readonly status: number;
  /** A list for a header that comes several times. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body: Buffer | string | Published;
}

/** One upstream served on loopback in its own format, over the made-up world. */
export interface Simulator {
  /** Name of the source it stands for; the prefix of its paths is `/<name in lower case>`. */
  readonly name: string;
  handle(request: SimulatedRequest): SimulatedReply | Promise<SimulatedReply>;
}

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

/** `Smith & Sons` → `Smith &amp; Sons` */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** One element on its own line; nothing where the text is empty. */
export const leaf = (name: string, text: string, indent: string): string => (text ? `${indent}<${name}>${escaped(text)}</${name}>\n` : '');

/** An element around others; nothing where there are none. */
export const branch = (name: string, children: string, indent: string): string =>
  children ? `${indent}<${name}>\n${children}${indent}</${name}>\n` : '';

/** One of a list by number, round and round: the same number is the same one everywhere. */
export const pick = <T>(list: readonly [T, ...T[]], number: number): T => list[number % list.length] ?? list[0];
