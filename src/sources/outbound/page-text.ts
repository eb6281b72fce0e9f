import type { OutboundAnswer } from './outbound.ts';

/** Where in a page its `<meta charset>` must be, in bytes; browsers look as far. */
const META_BYTES = 1024;
const META = /<meta[^>]+charset\s*=\s*["']?\s*([\w:.+-]+)/i;
/** Charsets in which bytes are valid UTF-8 too, and mean something else. */
const LOOK_ALIKES = /^(utf-?16|iso-2022)/i;

/** The text of an answer, by its byte order mark, header, `<meta>` or, where none says or it lies, UTF-8 then Windows-1252. */
export function pageText({ body, headers, cut }: OutboundAnswer): string {
  const label = bomOf(body) ?? headerCharset(headers['content-type']?.[0]) ?? metaCharset(body);
  const guesses = label && LOOK_ALIKES.test(label) ? [label, 'utf-8'] : ['utf-8', ...(label ? [label] : [])];
  for (const guess of guesses) {
    const text = decoded(body, guess, cut);
    if (text !== null) return text;
  }
  return new TextDecoder('windows-1252').decode(body);
}

/** Null where the bytes are no such text, or nobody knows the charset. A cut body may end inside a character. */
function decoded(bytes: Buffer, charset: string, cut: boolean): string | null {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(bytes, { stream: cut });
  } catch {
    return null;
  }
}

function bomOf(bytes: Buffer): string | null {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  return null; // UTF-8 is tried first anyway
}

const headerCharset = (type: string | undefined): string | undefined => /charset\s*=\s*"?([^\s;"]+)/i.exec(type ?? '')?.[1];

/** A page that could be read this far is not in UTF-16, whatever it says. */
function metaCharset(bytes: Buffer): string | undefined {
  const label = META.exec(bytes.toString('latin1', 0, META_BYTES))?.[1];
  return label && /^utf-?16/i.test(label) ? undefined : label;
}
