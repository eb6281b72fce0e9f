import { inflateSync } from 'node:zlib';

/** Returns the decompressed streams of a PDF that pdfkit created: the contents of pages, and attached files. */
function streamsOf(pdf: Buffer): readonly Buffer[] {
  const starts = [...pdf.toString('latin1').matchAll(/\/FlateDecode[^>]*>>\s*stream\r?\n/g)];
  return starts.map(({ 0: head, index }) => inflateSync(pdf.subarray(index + head.length)));
}

/** Encoding of the texts that are written in standard fonts. */
const winAnsi = new TextDecoder('windows-1252');

/** Returns the text of a PDF, a line for each piece that is written at once. */
export function textOf(pdf: Buffer): string {
  const pieces = streamsOf(pdf).flatMap((stream) => [...stream.toString('latin1').matchAll(/\[((?:<[0-9a-f]*>|[-\d. ])*)\] TJ/g)]);
  return pieces
    .map(([, piece = '']) => winAnsi.decode(Buffer.from([...piece.matchAll(/<([0-9a-f]*)>/g)].map(([, hex]) => hex).join(''), 'hex')))
    .join('\n');
}

/** Returns the JSON file that is attached to a PDF. */
export const attachmentOf = (pdf: Buffer): string =>
  streamsOf(pdf)
    .map((stream) => stream.toString('utf8'))
    .find((text) => text.startsWith('{')) ?? '';

/** A filled rectangle of a page, in points from its upper left corner. */
interface Rectangle {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Returns the rectangles of a PDF that pdfkit created. */
export const rectanglesOf = (pdf: Buffer): readonly Rectangle[] =>
  streamsOf(pdf)
    .flatMap((stream) => [...stream.toString('latin1').matchAll(/^(\S+) (\S+) (\S+) (\S+) re$/gm)])
    .map(([, ...numbers]) => {
      const [x = 0, y = 0, width = 0, height = 0] = numbers.map(Number);
      return { x, y, width, height };
    });
