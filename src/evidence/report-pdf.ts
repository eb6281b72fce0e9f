import { COUNTRIES, type Country, hasOfficers, taxIdName } from '../domain/company.ts';
import { sourceNameIn } from '../messages/source-names.ts';
import {
  type Fact,
  MARGIN,
  type Page,
  printable,
  receiptDocument,
  requireHeight,
  WIDTH,
  writeBlock,
  writeDetail,
  writeFact,
  writeHeading,
  writeText,
} from './document.ts';
import { qrCode } from './qr-code.ts';
import type { Receipt, ReceiptSource, SealedReceipt } from './receipt.ts';
import { digestLines, formattedId, writeHashes } from './receipt-pdf.ts';
import { RECEIPT_TEXTS, type ReceiptTexts } from './receipt-texts.ts';
import { reportedFindings } from './report-findings.ts';
import { REPORT_TEXTS } from './report-languages.ts';
import { checkName, type ReportTexts } from './report-texts.ts';
import { dateText, momentText, type Reader } from './report-times.ts';
import { canonical } from './seal.ts';

/** The parts of a report that its sections are written from. */
interface Report {
  readonly doc: Page;
  readonly sealed: SealedReceipt;
  readonly receipt: Receipt;
  readonly texts: ReportTexts;
  readonly shared: ReceiptTexts;
  readonly reader: Reader;
}

/** Number of records that are written before the next pause. Each takes some milliseconds, and a receipt has up to a hundred. */
const RECORDS_PER_PART = 5;

/**
 * Prints a report about a company as PDF (A4): what its receipt says, in the language and the time zone of the reader. Nothing is read for
 * it but the receipt, which is attached as JSON.
 * @param pause settles when the next part of the report may be written
 */
export function reportPdf(sealed: SealedReceipt, reader: Reader, pause: () => Promise<void>): Promise<Buffer> {
  const texts = REPORT_TEXTS[reader.language];
  const { receipt } = sealed;
  return receiptDocument(sealed, {
    title: texts.title,
    language: reader.language,
    async write(doc) {
      const report = { doc, sealed, receipt, texts, shared: RECEIPT_TEXTS[reader.language], reader };
      writeCompany(report);
      await writeFindings(report, pause);
      writeOwners(report);
      writeUnread(report);
      writeSources(report);
      await pause();
      writeVerification(report);
      writeAppendix(report);
    },
  });
}

/** Fills of the band with the level. A `low` that is not complete is grey, not green. */
const COLORS = { high: '#a52019', medium: '#8a5300', low: '#1d6b3a', unknown: '#50565e' } as const;

function writeCompany({ doc, receipt, texts, shared, reader }: Report): void {
  const { company, verdict } = receipt;
  const country: Country | undefined = COUNTRIES.find((one) => one === company.country);
  doc.font('Helvetica').fontSize(10).text(texts.title, MARGIN, MARGIN, { width: WIDTH });
  doc
    .font('Helvetica-Bold')
    .fontSize(17)
    .text(printable(company.name ?? formattedId(company)), { width: WIDTH });
  doc.moveDown(0.3);
  writeBand(doc, levelText(receipt, texts, shared), COLORS[isLowSoFar(receipt) ? 'unknown' : verdict.risk_level]);
  if (verdict.completeness !== 'complete') writeText(doc, verdict.completeness === 'partial' ? texts.notComplete : texts.insufficient);
  doc.moveDown(0.5);
  const facts: readonly Fact[] = [
    [shared.name, company.name ?? texts.unknown],
    [texts.taxId, country ? `${taxIdName(country)} ${formattedId(company)}` : formattedId(company)],
    [texts.country, country ? texts.countries[country] : company.country],
    [texts.status, company.status ? texts.statuses[company.status] : texts.unknown],
    [shared.checkedAt, momentText(verdict.generated_at, reader)],
    [texts.requestedBy, receipt.api_key_name ?? receipt.api_key],
    [shared.receipt, `${receipt.sequence} · ${receipt.id}`],
  ];
  for (const fact of facts) writeFact(doc, ...fact);
}

const isLowSoFar = ({ verdict }: Receipt): boolean => verdict.risk_level === 'low' && verdict.completeness !== 'complete';

const levelText = (receipt: Receipt, texts: ReportTexts, shared: ReceiptTexts): string => {
  const { risk_level, completeness } = receipt.verdict;
  return `${isLowSoFar(receipt) ? texts.lowSoFar : texts.levels[risk_level]} · ${shared.degrees[completeness]}`;
};

function writeBand(doc: Page, text: string, color: string): void {
  const { y } = doc;
  const options = { width: WIDTH - 20 };
  const height = doc.font('Helvetica-Bold').fontSize(11).heightOfString(printable(text), options) + 12;
  doc.rect(MARGIN, y, WIDTH, height).fill(color);
  doc.fillColor('white').text(printable(text), MARGIN + 10, y + 7, options);
  doc.fillColor('black');
  doc.x = MARGIN;
  doc.y = y + height + 6;
}

async function writeFindings({ doc, receipt, texts, reader }: Report, pause: () => Promise<void>): Promise<void> {
  const { findings, total } = reportedFindings(receipt, texts, reader);
  writeHeading(doc, `${texts.findings}: ${total}`);
  if (findings.length === 0) writeText(doc, receipt.verdict.completeness === 'complete' ? texts.noFindings : texts.noFindingsSoFar);
  for (const [i, { title, facts }] of findings.entries()) {
    if (i % RECORDS_PER_PART === 0) await pause();
    writeBlock(doc, `${i + 1}. ${title}`, facts);
  }
  if (total > findings.length) writeText(doc, `${texts.furtherFindings}: ${total - findings.length}`);
  if (!receipt.findings && findings.length > 0) writeText(doc, texts.earlierReceipt);
}

function writeOwners({ doc, receipt, texts }: Report): void {
  const [heading, write] = hasOfficers(receipt.company) ? [texts.officers, texts.officersText] : [texts.owners, texts.ownersText];
  writeHeading(doc, heading);
  writeText(doc, receipt.owners ? write(receipt.owners) : texts.noOwners);
}

function writeUnread({ doc, receipt, texts, reader }: Report): void {
  const failed = receipt.sources.filter(({ outcome }) => outcome === 'failed');
  writeHeading(doc, texts.unread);
  for (const source of failed) writeText(doc, sourceLabel(source, texts, reader));
  if (failed.length === 0) writeText(doc, receipt.verdict.completeness === 'complete' ? texts.allRead : texts.partlyRead);
}

const sourceLabel = ({ check, source }: ReceiptSource, texts: ReportTexts, { language }: Reader): string =>
  `${checkName({ check, source }, texts) ?? check} · ${sourceNameIn(source, language)}`;

/** Height that holds the longest name of a source, and the line below it. */
const SOURCE_HEIGHT = 50;

function writeSources({ doc, receipt, texts, shared, reader }: Report): void {
  writeHeading(doc, texts.sources);
  for (const source of receipt.sources) {
    const { outcome, answered_at: readAt, data_as_of: asOf } = source;
    const day = asOf === null ? '' : `, ${shared.dataAsOf} ${dateText(asOf, reader)}`;
    requireHeight(doc, SOURCE_HEIGHT);
    writeFact(doc, sourceLabel(source, texts, reader), `${shared.outcomes[outcome]}${day}`);
    if (readAt !== null) writeDetail(doc, `${shared.readAt} ${momentText(readAt, reader)}`);
  }
}

const QR_SIZE = 120;

function writeVerification({ doc, sealed, texts, receipt, shared, reader }: Report): void {
  writeHeading(doc, texts.verification);
  requireHeight(doc, QR_SIZE + 50); // the text beside it can be longer
  const { y } = doc;
  const { content_hash, key_id, signature } = sealed;
  drawCode(doc, canonical({ content_hash, id: receipt.id, key_id, signature }), { x: MARGIN, y });
  const paragraphs = [
    `${shared.issuedAt} ${momentText(receipt.issued_at, reader)}`,
    texts.verificationText,
    texts.codeText,
    texts.unprintable,
    texts.noClearance,
  ];
  const options = { width: WIDTH - QR_SIZE - 15, paragraphGap: 3 };
  doc.x = MARGIN + QR_SIZE + 15;
  doc.y = y;
  doc.font('Helvetica').fontSize(8);
  for (const paragraph of paragraphs) doc.text(printable(paragraph), options);
  doc.x = MARGIN;
  doc.y = Math.max(doc.y, y + QR_SIZE + 5);
}

/** Draws a QR code. Modules of a row that follow one another are one rectangle. */
function drawCode(doc: Page, text: string, { x, y }: { readonly x: number; readonly y: number }): void {
  const rows = qrCode(text);
  const size = QR_SIZE / rows.length;
  for (const [row, modules] of rows.entries())
    for (const { 0: run, index } of modules.matchAll(/1+/g)) doc.rect(x + index * size, y + row * size, run.length * size, size);
  doc.fill('black');
}

function writeAppendix({ doc, sealed, receipt, texts, shared, reader }: Report): void {
  writeHeading(doc, texts.appendix);
  writeHashes(doc, sealed, shared);
  writeFact(doc, shared.account, receipt.account);
  writeFact(doc, texts.keyId, receipt.api_key);
  writeFact(doc, texts.requestId, receipt.request_id);
  if (receipt.verdict.rules_version) writeFact(doc, texts.rules, receipt.verdict.rules_version);
  for (const source of receipt.sources) {
    const lines = digestLines(source, shared);
    if (lines.length > 0) writeText(doc, sourceLabel(source, texts, reader));
    for (const line of lines) writeDetail(doc, line);
  }
}
