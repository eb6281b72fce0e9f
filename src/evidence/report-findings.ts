import type { FindingCode } from '../domain/compliance.ts';
import type { Language } from '../messages/message.ts';
import { sourceNameIn } from '../messages/source-names.ts';
import type { Fact } from './document.ts';
import type { Receipt, ReceiptFinding } from './receipt.ts';
import type { ReportTexts } from './report-texts.ts';
import { dateText, LOCALES, type Reader } from './report-times.ts';

/** A record as a report prints it. */
interface ReportedFinding {
  readonly title: string;
  readonly facts: readonly Fact[];
}

/** Returns the records of a receipt in the language of the reader. A receipt that was issued before receipts had records has its reasons. */
export function reportedFindings(
  { findings, findings_total: total = findings?.length, verdict }: Receipt,
  texts: ReportTexts,
  reader: Reader,
): { readonly findings: readonly ReportedFinding[]; readonly total: number } {
  if (!findings)
    return { findings: verdict.risk_reasons.map((reason) => ofReason(reason, texts, reader.language)), total: verdict.risk_reasons.length };
  return { findings: findings.map((finding) => ofFinding(finding, texts, reader)), total: total ?? findings.length };
}

/** `debarment.record: 1 record on CEIS (…)`: the form of reasons, which receipts state in English. */
const REASON = /^[a-z_]+\.([a-z_]+): (?:\d+ [a-z]+ on ([A-Z_]+) )?/;

function ofReason(reason: string, texts: ReportTexts, language: Language): ReportedFinding {
  const [, code = '', list] = REASON.exec(reason) ?? [];
  const title = texts.codes[code as FindingCode] ?? code;
  return { title: list ? `${title} · ${sourceNameIn(list, language)}` : title, facts: [] };
}

function ofFinding(finding: ReceiptFinding, texts: ReportTexts, reader: Reader): ReportedFinding {
  const { code, source, status, matched_on: matchedOn } = finding;
  const facts: readonly (readonly [label: string, value: string | null])[] = [
    [texts.entryName, finding.entry_name],
    [texts.details[code] ?? code, finding.detail],
    [texts.body, finding.body],
    [texts.process, finding.process_id],
    [texts.amount, amountText(finding, reader)],
    [texts.period, periodText(finding, texts, reader)],
    [texts.inForce, status && texts.inForceTexts[status]],
    [texts.matchedOn, matchedOn && texts.matches[matchedOn]],
    [texts.entryId, finding.entry_id],
  ];
  return {
    title: `${texts.codes[code] ?? code} · ${sourceNameIn(source, reader.language)}`,
    facts: facts.flatMap(([label, value]) => (value === null ? [] : [[label, value] as const])),
  };
}

/** Currencies of amounts that are not in BRL. */
const CURRENCIES: Readonly<Partial<Record<ReceiptFinding['code'], string>>> = { tax_debtor: 'CLP', fine: 'COP' };

function amountText({ amount, code }: ReceiptFinding, { language }: Reader): string | null {
  if (amount === null) return null;
  const currency = CURRENCIES[code] ?? 'BRL';
  return `${currency} ${amount.toLocaleString(LOCALES[language], { maximumFractionDigits: 2 })}`;
}

/** Writes a period. A fine has the date of its resolution alone: an end that is not stated would say that it lasts. */
function periodText({ code, starts_on: start, ends_on: end }: ReceiptFinding, texts: ReportTexts, reader: Reader): string | null {
  if (start === null && end === null) return null;
  if (code === 'fine' && start !== null) return dateText(start, reader);
  return `${start === null ? texts.noStart : dateText(start, reader)} – ${end === null ? texts.noEnd : dateText(end, reader)}`;
}
