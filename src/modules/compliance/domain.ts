import type { Country } from '../../domain/company.ts';
import { CHECKS_OF, type CheckName, type Completeness, type RiskLevel } from '../../domain/compliance.ts';
import { chosenOf, type OptionalList } from '../../domain/optional-lists.ts';
import type { Language, Message } from '../../messages/message.ts';
import { FINE_LISTS } from '../debarment/domain/contract-fines.ts';
import { DEBARMENT_LISTS, OPTIONAL_BAN_LISTS } from '../debarment/domain.ts';
import { SANCTIONS_LISTS } from '../sanctions/domain.ts';
import { RULES, type Rule, type Seen } from './domain/rules.ts';

export type { Seen } from './domain/rules.ts';

/** One risk signal. It is reported even if a more severe one decides the level. */
export interface RiskReason extends Pick<Rule, 'check' | 'code'> {
  /** The risk level that this signal alone would give; low for one that is only reported. */
  readonly severity: Rule['severity'];
  /** A sentence that includes the evidence, in English. */
  readonly message: string;
  /** The sentence, for other languages. */
  readonly text: Message;
}

export interface Risk {
  readonly level: RiskLevel;
  /** Reasons in the order of the rules; empty when the checks that answered found nothing. */
  readonly reasons: readonly RiskReason[];
}

/**
 * Derives the risk level by the rules of the country. It is the highest level of a reason, and low without one. A failed check adds
 * nothing: `completeness` states how much was checked.
 */
export function assessRisk(country: Country, seen: Seen): Risk {
  const reasons = RULES[country].rules.flatMap(({ check, code, severity, findings }) =>
    findings(seen).map((text) => ({ check, code, severity, message: text.in('en'), text })),
  );
  const level = (['high', 'medium'] as const).find((one) => reasons.some(({ severity }) => severity === one)) ?? 'low';
  return { level, reasons };
}

/**
 * Returns `partial` also when a check answered without reading all of its lists. The list of Chilean tax debtors is one that the operator
 * provides; without it the debts of a company are not known, so its check is not complete. The check of Chilean owners is not complete if rows
 * about the company could not be read. It is complete if its owners are not published: more than the file has cannot be checked. Contract fines
 * are not complete if one without a known contractor may be of the company.
 * @param lists optional lists that the check had to read
 */
export function completeness(country: Country, seen: Seen, lists: readonly OptionalList[] = []): Completeness {
  const checks: readonly CheckName[] = CHECKS_OF[country];
  const failed = checks.filter((check) => seen[check] === null).length;
  if (failed === checks.length) return 'insufficient';
  const listMissing =
    (seen.sanctions && seen.sanctions.sourcesChecked.length < SANCTIONS_LISTS.length) ||
    (seen.debarment && seen.debarment.sourcesChecked.length < DEBARMENT_LISTS.length + chosenOf(lists, OPTIONAL_BAN_LISTS).length) ||
    (seen.contract_fines && (seen.contract_fines.sourcesChecked.length < FINE_LISTS.length || !seen.contract_fines.namesCompared)) ||
    seen.tax_health?.debtorsChecked === false;
  const ownerMissing = seen.owners?.source === 'cl_ownership' && seen.owners.composition.status === 'unread';
  return failed > 0 || listMissing || ownerMissing ? 'partial' : 'complete';
}

/** Formats a reason as `sanctions.match: 1 match on OFAC_SDN (ACME LTDA)`, with the sentence in a language. */
export const reasonTextIn =
  (language: Language) =>
  ({ check, code, message, text }: RiskReason): string =>
    `${check}.${code}: ${language === 'en' ? message : text.in(language)}`;

export const reasonText = reasonTextIn('en');
