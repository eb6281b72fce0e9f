import { COUNTRIES, type CompanyKey, formatTaxId } from '../domain/company.ts';
import type { Language } from '../messages/message.ts';
import { sourceNameIn, withSourceNames } from '../messages/source-names.ts';
import { storedReasonIn } from '../messages/stored-reasons.ts';
import { MARGIN, type Page, printable, receiptDocument, WIDTH, writeDetail, writeFact, writeHeading } from './document.ts';
import type { Receipt, ReceiptSource, SealedReceipt } from './receipt.ts';
import { RECEIPT_TEXTS, type ReceiptTexts } from './receipt-texts.ts';
import { REPORT_TEXTS } from './report-languages.ts';
import { checkName } from './report-texts.ts';
import { dateText, momentText, type Reader } from './report-times.ts';

/**
 * Prints a receipt as PDF (A4), with the signed receipt attached as JSON. Lists and sources have their
 * names; in English, reasons and checks are otherwise printed as the receipt has them.
 */
export function receiptPdf(sealed: SealedReceipt, reader: Reader): Promise<Buffer> {
  const { language } = reader;
  const texts = RECEIPT_TEXTS[language];
  const { receipt } = sealed;
  return receiptDocument(sealed, {
    title: texts.title,
    language,
    async write(doc) {
      doc.font('Helvetica-Bold').fontSize(16).text(texts.title).moveDown(0.5);
      writeVerdict(doc, receipt, texts, reader);
      writeReasons(doc, receipt, language);
      writeSources(doc, receipt, reader);
      writeSeal(doc, sealed, texts);
    },
  });
}

function writeVerdict(doc: Page, { company, verdict, ...receipt }: Receipt, texts: ReceiptTexts, reader: Reader): void {
  writeFact(doc, texts.company, `${formattedId(company)} (${company.country})`);
  if (company.name) writeFact(doc, texts.name, company.name);
  writeFact(doc, texts.verdict, texts.levels[verdict.risk_level]);
  writeFact(doc, texts.completeness, texts.degrees[verdict.completeness]);
  writeFact(doc, texts.checkedAt, momentText(verdict.generated_at, reader));
  writeFact(doc, texts.issuedAt, momentText(receipt.issued_at, reader));
  writeFact(doc, texts.receipt, `${receipt.sequence} · ${receipt.id}`);
  writeFact(doc, texts.account, receipt.account);
}

/** Formats the tax id of a receipt with its usual punctuation. */
export function formattedId({ country, identifier }: Receipt['company']): string {
  const known: CompanyKey['country'] | undefined = COUNTRIES.find((one) => one === country);
  return known ? formatTaxId({ country: known, taxId: identifier }) : identifier;
}

function writeReasons(doc: Page, { verdict }: Receipt, language: Language): void {
  const { reasons: heading, noReasons } = RECEIPT_TEXTS[language];
  const reasons = verdict.risk_reasons.map((reason) => printable(withSourceNames(reasonText(reason, language), language)));
  writeHeading(doc, heading);
  doc.list(reasons.length > 0 ? reasons : [noReasons], { bulletRadius: 1.5 });
}

/** `debarment.record: 1 record on …`. In other languages than English it begins with the name of the check. */
function reasonText(reason: string, language: Language): string {
  const [code = '', check = ''] = /^(\w+)\.\w+: /.exec(reason) ?? [];
  if (language === 'en' || code === '') return reason;
  return `${checkText(check, language)}: ${storedReasonIn(reason, language).slice(code.length)}`;
}

/** Returns the name of a check; its code in English, and for a check of a newer version. */
const checkText = (check: string, language: Language, source?: string): string =>
  (language === 'en' ? undefined : checkName({ check, source }, REPORT_TEXTS[language])) ?? check;

function writeSources(doc: Page, { sources }: Receipt, reader: Reader): void {
  const { language } = reader;
  const texts = RECEIPT_TEXTS[language];
  writeHeading(doc, texts.sources);
  for (const source of sources) {
    writeFact(
      doc,
      `${checkText(source.check, language, source.source)} · ${sourceNameIn(source.source, language)}`,
      sourceText(source, texts, reader),
    );
    for (const line of digestLines(source, texts)) writeDetail(doc, line);
  }
}

const sourceText = (source: ReceiptSource, texts: ReceiptTexts, reader: Reader): string =>
  [
    texts.outcomes[source.outcome],
    source.answered_at === null ? [] : `${texts.readAt} ${momentText(source.answered_at, reader)}`,
    source.data_as_of === null ? [] : `${texts.dataAsOf} ${dateText(source.data_as_of, reader)}`,
  ]
    .flat()
    .join(', ');

/** Returns the hashes of the file and of the answer of a source, each with its name. */
export const digestLines = (source: ReceiptSource, texts: ReceiptTexts): readonly string[] => [
  ...(source.checksum === null ? [] : [`${texts.fileChecksum}: ${source.checksum}`]),
  ...(source.answer_digest === null ? [] : [`${texts.answerDigest}: ${source.answer_digest}`]),
];

function writeSeal(doc: Page, sealed: SealedReceipt, texts: ReceiptTexts): void {
  writeHeading(doc, texts.seal);
  writeHashes(doc, sealed, texts);
  doc.moveDown().font('Helvetica-Oblique').text(texts.note, MARGIN, doc.y, { width: WIDTH });
}

/** Writes what is needed to verify a receipt: its hashes, its signature and the key. */
export function writeHashes(doc: Page, sealed: SealedReceipt, texts: ReceiptTexts): void {
  writeFact(doc, texts.contentHash, sealed.content_hash);
  writeFact(doc, texts.previousHash, sealed.receipt.previous_hash ?? texts.firstOfChain);
  writeFact(doc, texts.signature, sealed.signature);
  writeFact(doc, texts.key, sealed.key_id);
}
