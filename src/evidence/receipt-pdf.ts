import { buffer } from 'node:stream/consumers';
import { COUNTRIES, type CompanyKey, formatTaxId } from '../domain/company.ts';
import type { Receipt, ReceiptSource, SealedReceipt } from './receipt.ts';
import { RECEIPT_TEXTS, type ReceiptLanguage, type ReceiptTexts } from './receipt-texts.ts';
import { canonical } from './seal.ts';

type Document = InstanceType<typeof import('pdfkit')>;

const MARGIN = 50;
/** Width of the column of labels, in points. */
const LABELS = 150;
const BODY = 9;

/**
 * Prints a receipt as PDF (A4), with the signed receipt attached as JSON. The fonts are the standard fonts of PDF readers, which lack
 * letters beyond Western Europe. Such letters are printed as `?`; the attachment contains them.
 */
export async function receiptPdf(sealed: SealedReceipt, language: ReceiptLanguage): Promise<Buffer> {
  const { default: PdfDocument } = await import('pdfkit'); // loaded when the first PDF is requested
  const texts = RECEIPT_TEXTS[language];
  const { receipt } = sealed;
  const issuedAt = new Date(receipt.issued_at);
  const doc = new PdfDocument({
    size: 'A4',
    margin: MARGIN,
    lang: language,
    info: { Title: `${texts.title} ${receipt.id}`, CreationDate: issuedAt, ModDate: issuedAt },
  });
  doc.file(Buffer.from(canonical(sealed)), {
    name: `${receipt.id}.json`,
    type: 'application/json',
    creationDate: issuedAt,
    modifiedDate: issuedAt,
  });
  doc.font('Helvetica-Bold').fontSize(16).text(texts.title).moveDown(0.5);
  writeVerdict(doc, receipt, texts);
  writeReasons(doc, receipt, texts);
  writeSources(doc, receipt, texts);
  writeSeal(doc, sealed, texts);
  doc.end();
  return buffer(doc);
}

function writeVerdict(doc: Document, { company, verdict, ...receipt }: Receipt, texts: ReceiptTexts): void {
  writeFact(doc, texts.company, `${formatted(company)} (${company.country})`);
  writeFact(doc, texts.verdict, texts.levels[verdict.risk_level]);
  writeFact(doc, texts.completeness, texts.degrees[verdict.completeness]);
  writeFact(doc, texts.checkedAt, verdict.generated_at);
  writeFact(doc, texts.issuedAt, receipt.issued_at);
  writeFact(doc, texts.receipt, `${receipt.sequence} · ${receipt.id}`);
  writeFact(doc, texts.account, receipt.account);
}

function formatted({ country, identifier }: Receipt['company']): string {
  const known: CompanyKey['country'] | undefined = COUNTRIES.find((one) => one === country);
  return known ? formatTaxId({ country: known, taxId: identifier }) : identifier;
}

function writeReasons(doc: Document, { verdict }: Receipt, texts: ReceiptTexts): void {
  writeHeading(doc, texts.reasons);
  doc.list(verdict.risk_reasons.length > 0 ? verdict.risk_reasons.map(printable) : [texts.noReasons], { bulletRadius: 1.5 });
}

function writeSources(doc: Document, { sources }: Receipt, texts: ReceiptTexts): void {
  writeHeading(doc, texts.sources);
  for (const source of sources) {
    const [fact, ...more] = sourceLines(source, texts);
    writeFact(doc, `${source.check} · ${source.source}`, fact ?? '');
    doc.fontSize(7);
    for (const line of more) doc.text(line, MARGIN + LABELS);
    doc.fontSize(BODY);
  }
}

const sourceLines = (source: ReceiptSource, texts: ReceiptTexts): readonly string[] => [
  [
    texts.outcomes[source.outcome],
    source.answered_at === null ? [] : `${texts.readAt} ${source.answered_at}`,
    source.data_as_of === null ? [] : `${texts.dataAsOf} ${source.data_as_of}`,
  ]
    .flat()
    .join(', '),
  ...(source.checksum === null ? [] : [`${texts.fileChecksum}: ${source.checksum}`]),
  ...(source.answer_digest === null ? [] : [`${texts.answerDigest}: ${source.answer_digest}`]),
];

function writeSeal(doc: Document, sealed: SealedReceipt, texts: ReceiptTexts): void {
  writeHeading(doc, texts.seal);
  writeFact(doc, texts.contentHash, sealed.content_hash);
  writeFact(doc, texts.previousHash, sealed.receipt.previous_hash ?? texts.firstOfChain);
  writeFact(doc, texts.signature, sealed.signature);
  writeFact(doc, texts.key, sealed.key_id);
  doc.moveDown().font('Helvetica-Oblique').text(texts.note, MARGIN);
}

function writeHeading(doc: Document, text: string): void {
  doc.moveDown().font('Helvetica-Bold').fontSize(11).text(text, MARGIN).font('Helvetica').fontSize(BODY).moveDown(0.3);
}

/** Writes a label, and its value in the column beside it. It begins a new page if the two would be on different pages. */
function writeFact(doc: Document, label: string, value: string): void {
  doc.fontSize(BODY);
  if (doc.y > doc.page.height - 2 * MARGIN) doc.addPage();
  const { y } = doc;
  doc.font('Helvetica-Bold').text(label, MARGIN, y, { width: LABELS - 10 });
  const end = doc.y;
  doc.font('Helvetica').text(printable(value), MARGIN + LABELS, y);
  doc.y = Math.max(end, doc.y);
}

/** Replaces characters that the standard fonts cannot print by `?`. */
const printable = (text: string): string => text.replaceAll(/[^\x20-\x7e\xa0-\xff\u2013\u2014\u2018\u2019\u201c\u201d\u2026\u20ac]/gu, '?');
