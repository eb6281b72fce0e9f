import { buffer } from 'node:stream/consumers';
import { ZipFile } from 'yazl';
import type { MutableWorld } from '../world/mutable-world.ts';

/** A request to a simulated upstream. */
export interface SimulatedRequest {
  readonly method: string;
  /** Path below the simulator's own prefix, starting with `/`. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Epoch ms on the sandbox's clock, which selects the current editions. */
  readonly now: number;
  /** The fictional world with an operator's changes. */
  readonly world: MutableWorld;
}

/** A document before encoding. A fault can damage its content and still send a well-formed response. */
export interface Published {
  readonly format: 'json' | 'csv' | 'xml' | 'html';
  /** Records of a list, or members of a JSON object, in order. */
  readonly rows: readonly string[];
  /** Joins rows to the whole text. Counts in the text match the given rows. */
  readonly frame: (rows: readonly string[]) => string;
  /** Renames or removes the one required column, element or property of the text. */
  readonly renameRequired: (text: string) => string;
  readonly charset: 'utf-8' | 'windows-1252';
  /** Packs the encoded text into the published file, e.g. a zip; undefined for plain text. */
  readonly pack?: (bytes: Buffer) => Promise<Buffer>;
}

export interface SimulatedReply {
  readonly status: number;
  /** Headers; an array for a repeated header. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body: Buffer | string | Published;
}

/** One upstream, served on loopback in its own format over the fictional world. */
export interface Simulator {
  /** Name of the simulated source; its paths start with `/<name in lower case>`. */
  readonly name: string;
  handle(request: SimulatedRequest): SimulatedReply | Promise<SimulatedReply>;
}

/** Characters 0x80–0xFF of Windows-1252; Node has no encoder for them. */
const UPPER_HALF = new TextDecoder('windows-1252').decode(Uint8Array.from({ length: 128 }, (_, i) => 128 + i));

function windows1252(char: string): number {
  if (char < '\x80') return char.charCodeAt(0);
  const place = UPPER_HALF.indexOf(char);
  return place === -1 ? '?'.charCodeAt(0) : 128 + place;
}

/** Encodes text; characters outside Windows-1252 become `?`. */
export function encode(text: string, charset: Published['charset']): Buffer {
  if (charset === 'utf-8') return Buffer.from(text);
  // Latin-1 equals Windows-1252 except for these characters. The rest is encoded by one call, because a call per character takes ten times
  // as long.
  return Buffer.from(
    text.replace(/[\u0080-\u009F\u{100}-\u{10FFFF}]/gu, (char) => String.fromCharCode(windows1252(char))),
    'latin1',
  );
}

/** Encodes the body of a reply. `text` and `charset` replace those of a document. */
export async function bytesOf(body: SimulatedReply['body'], text?: string, charset?: Published['charset']): Promise<Buffer> {
  if (typeof body === 'string' || Buffer.isBuffer(body)) return Buffer.from(body);
  const bytes = encode(text ?? body.frame(body.rows), charset ?? body.charset);
  return body.pack ? body.pack(bytes) : bytes;
}

/** Builds a zip with one member. Equal input gives equal bytes. */
export const zipped = (member: string, bytes: Buffer, modifiedMs: number): Promise<Buffer> => zippedFiles([[member, bytes]], modifiedMs);

/** Builds a zip of these files, in their order. */
export async function zippedFiles(files: Iterable<readonly [name: string, bytes: Buffer]>, modifiedMs: number): Promise<Buffer> {
  const zip = new ZipFile();
  for (const [name, bytes] of files) zip.addBuffer(bytes, name, { mtime: new Date(modifiedMs) });
  zip.end();
  return buffer(zip.outputStream);
}

/** Builds a JSON reply. `key` is its required property, which the fault `wrong_columns` renames. */
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
      renameRequired: (text) => text.replace(`"${key}"`, `"outro_${key}"`),
      charset: 'utf-8',
    },
  };
}

/** Builds the reply for a published file, with `Last-Modified`. */
export function fileReply(contentType: string, body: Published, modifiedMs: number): SimulatedReply {
  return { status: 200, headers: { 'content-type': contentType, 'last-modified': new Date(modifiedMs).toUTCString() }, body };
}

/** Escapes a text: `Smith & Sons` → `Smith &amp; Sons`. */
const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** Writes one XML element on its own line; an empty text for an empty value. */
export const leaf = (name: string, text: string, indent: string): string => (text ? `${indent}<${name}>${escaped(text)}</${name}>\n` : '');

/** Wraps XML elements; returns an empty text if there are none. */
export const branch = (name: string, children: string, indent: string): string =>
  children ? `${indent}<${name}>\n${children}${indent}</${name}>\n` : '';

/** Returns an element of a list by number, modulo its length: equal numbers give equal elements. */
export const pick = <T>(list: readonly [T, ...T[]], number: number): T => list[number % list.length] ?? list[0];
