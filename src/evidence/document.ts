import { buffer } from 'node:stream/consumers';
import type { Language } from '../messages/message.ts';
import type { SealedReceipt } from './receipt.ts';
import { canonical } from './seal.ts';

/** A4 pages about one receipt. Positions and sizes are in points. */
export type Page = InstanceType<typeof import('pdfkit')>;

export const MARGIN = 50;
/** Width of the column of labels. */
const LABELS = 150;
/** Width of an A4 page between its margins. */
export const WIDTH = 595.28 - 2 * MARGIN;
const BODY = 9;
const SMALL = 7;
/** The fonts of receipts and reports. */
const FONTS = ['Helvetica', 'Helvetica-Bold', 'Helvetica-Oblique'];

interface DocumentOptions {
  readonly title: string;
  /** Language of the texts. */
  readonly language: Language;
  readonly write: (doc: Page) => Promise<void>;
}

/** Loads the package, which commands do not need. */
const loaded = () => import('pdfkit');

/**
 * Loads what the first PDF of a process needs. Compiling the package and reading its fonts takes some 100 ms in one turn of the event loop,
 * so a server does it before it takes requests.
 */
export async function preparePdf(): Promise<void> {
  const { default: PdfDocument } = await loaded();
  const doc = new PdfDocument();
  for (const font of FONTS) doc.font(font).text(' ');
  doc.end();
}

/**
 * Creates a PDF with the signed receipt attached as JSON, and with the id of the receipt and the number of the page below each page. The
 * fonts are the standard fonts of PDF readers, which lack letters beyond Western Europe.
 */
export async function receiptDocument(sealed: SealedReceipt, { title, language, write }: DocumentOptions): Promise<Buffer> {
  const { default: PdfDocument } = await loaded();
  const { id, issued_at } = sealed.receipt;
  const issuedAt = new Date(issued_at);
  const doc = new PdfDocument({
    size: 'A4',
    margin: MARGIN,
    lang: language,
    bufferPages: true,
    info: { Title: `${title} ${id}`, CreationDate: issuedAt, ModDate: issuedAt },
  });
  doc.file(Buffer.from(canonical(sealed)), {
    name: `${id}.json`,
    type: 'application/json',
    creationDate: issuedAt,
    modifiedDate: issuedAt,
  });
  await write(doc);
  writeFooters(doc, id);
  doc.end();
  return buffer(doc);
}

function writeFooters(doc: Page, id: string): void {
  const { start, count } = doc.bufferedPageRange();
  for (let i = 0; i < count; i += 1) {
    doc.switchToPage(start + i);
    doc.page.margins.bottom = 0; // text in the margin would begin a new page
    doc.font('Helvetica').fontSize(SMALL).fillColor('black');
    doc.text(`${id}  ·  ${i + 1} / ${count}`, MARGIN, doc.page.height - MARGIN / 2, { width: WIDTH, align: 'center', lineBreak: false });
  }
}

/** Begins a new page unless this height is left on the current one. */
export function requireHeight(doc: Page, height: number): void {
  if (doc.y + height > doc.page.height - MARGIN && doc.y > MARGIN) doc.addPage();
}

/** Writes a heading. It is on the page of the lines that follow it. */
export function writeHeading(doc: Page, text: string): void {
  requireHeight(doc, 60);
  doc.moveDown().font('Helvetica-Bold').fontSize(11).text(printable(text), MARGIN).font('Helvetica').fontSize(BODY).moveDown(0.3);
}

export function writeText(doc: Page, text: string): void {
  doc.font('Helvetica').fontSize(BODY).text(printable(text), MARGIN, doc.y, { width: WIDTH });
}

/** A label, and its value in the column beside it. */
export type Fact = readonly [label: string, value: string];

/** Writes a label and its value on one page. */
export function writeFact(doc: Page, ...fact: Fact): void {
  const [label, value] = fact;
  const height = factHeight(doc, fact);
  requireHeight(doc, height);
  const { y } = doc;
  doc
    .font('Helvetica-Bold')
    .fontSize(BODY)
    .text(printable(label), MARGIN, y, { width: LABELS - 10 });
  doc.font('Helvetica').text(printable(value), MARGIN + LABELS, y, { width: WIDTH - LABELS });
  doc.x = MARGIN;
  doc.y = y + height;
}

function factHeight(doc: Page, [label, value]: Fact): number {
  const left = doc
    .font('Helvetica-Bold')
    .fontSize(BODY)
    .heightOfString(printable(label), { width: LABELS - 10 });
  return Math.max(left, doc.font('Helvetica').heightOfString(printable(value), { width: WIDTH - LABELS }));
}

/** Writes a small line below the value of the last fact. */
export function writeDetail(doc: Page, text: string): void {
  const options = { width: WIDTH - LABELS };
  doc.font('Helvetica').fontSize(SMALL);
  requireHeight(doc, doc.heightOfString(printable(text), options));
  doc.text(printable(text), MARGIN + LABELS, doc.y, options);
  doc.x = MARGIN;
}

/** Writes a title with its facts below, all on one page. */
export function writeBlock(doc: Page, title: string, facts: readonly Fact[]): void {
  const own = doc.font('Helvetica-Bold').fontSize(BODY).heightOfString(printable(title), { width: WIDTH });
  requireHeight(
    doc,
    facts.reduce((sum, fact) => sum + factHeight(doc, fact), own),
  );
  doc.font('Helvetica-Bold').fontSize(BODY).text(printable(title), MARGIN, doc.y, { width: WIDTH });
  for (const fact of facts) writeFact(doc, ...fact);
  doc.moveDown(0.6);
}

/** Characters that the standard fonts cannot print. */
const UNPRINTABLE = /[^\x20-\x7e\xa0-\xff\u2013\u2014\u2018\u2019\u201c\u201d\u2026\u20ac]/gu;

/** Replaces characters that the standard fonts cannot print by `?`. The attached receipt has them. */
export const printable = (text: string): string =>
  text
    .normalize('NFC')
    .replaceAll(/[\s\u202f]/gu, ' ')
    .replaceAll(UNPRINTABLE, '?');
