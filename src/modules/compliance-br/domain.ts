import { CHECKS, type Completeness, type RiskLevel } from '../../domain/compliance.ts';
import { DEBARMENT_LISTS, type Debarment } from '../debarment/domain.ts';
import type { TaxKyb } from '../kyb/domain.ts';
import type { Labor } from '../labor/domain.ts';
import type { Owners } from '../owners/domain.ts';
import { SANCTIONS_LISTS, type Sanctions } from '../sanctions/domain.ts';

/** Results of the five checks; null for a check that failed. */
export interface Seen {
  readonly kyb: TaxKyb | null;
  readonly sanctions: Sanctions | null;
  readonly debarment: Debarment | null;
  readonly labor: Labor | null;
  readonly owners: Owners | null;
}

/** One risk signal. It is reported even if a more severe one decides the level. */
export interface RiskReason {
  readonly check: 'sanctions' | 'labor' | 'debarment' | 'kyb';
  readonly code: 'match' | 'listed' | 'record' | 'inactive' | 'not_found';
  /** The risk level that this signal alone would give. */
  readonly severity: 'medium' | 'high';
  /** A sentence that includes the evidence. */
  readonly message: string;
}

export interface Risk {
  readonly level: RiskLevel;
  /** Reasons in the order sanctions, labor, debarment, kyb; empty when the checks that answered found nothing. */
  readonly reasons: readonly RiskReason[];
}

/**
 * Derives the risk level by the rules of the contract. High: any sanctions match or forced-labour record. Medium: any debarment record,
 * or a registration that is not active. A failed check adds nothing: `completeness` states how much was checked.
 */
export function assessRisk(seen: Seen): Risk {
  const reasons = [
    ...sanctionsReasons(seen.sanctions),
    ...laborReasons(seen.labor),
    ...debarmentReasons(seen.debarment),
    ...kybReasons(seen.kyb),
  ];
  const level = reasons.some(({ severity }) => severity === 'high') ? 'high' : reasons.length > 0 ? 'medium' : 'low';
  return { level, reasons };
}

/** Returns `partial` also when a check answered without reading all of its lists. */
export function completeness(seen: Seen): Completeness {
  const failed = CHECKS.filter((check) => seen[check] === null).length;
  if (failed === CHECKS.length) return 'insufficient';
  const listMissing =
    (seen.sanctions && seen.sanctions.sourcesChecked.length < SANCTIONS_LISTS.length) ||
    (seen.debarment && seen.debarment.sourcesChecked.length < DEBARMENT_LISTS.length);
  return failed > 0 || listMissing ? 'partial' : 'complete';
}

/** Formats a reason as `sanctions.match: 1 match on OFAC_SDN (ACME LTDA)`. */
export const reasonText = ({ check, code, message }: RiskReason): string => `${check}.${code}: ${message}`;

function sanctionsReasons(sanctions: Sanctions | null): RiskReason[] {
  return byList(sanctions?.matches ?? [], ({ list }) => list).map(([list, matches]) => ({
    check: 'sanctions',
    code: 'match',
    severity: 'high',
    message: `${count(matches, 'match', 'matches')} on ${list} (${names(matches.map(({ entryName }) => entryName))})`,
  }));
}

function laborReasons(labor: Labor | null): RiskReason[] {
  return byList(labor?.records ?? [], ({ source }) => source).map(([list, records]) => ({
    check: 'labor',
    code: 'listed',
    severity: 'high',
    message: `${count(records, 'record', 'records')} on ${list} (${names(records.map((r) => `${r.employer}, ${r.year}, ${r.status}`))})`,
  }));
}

function debarmentReasons(debarment: Debarment | null): RiskReason[] {
  return byList(debarment?.records ?? [], ({ source }) => source).map(([list, records]) => ({
    check: 'debarment',
    code: 'record',
    severity: 'medium',
    message: `${count(records, 'record', 'records')} on ${list} (${names(records.map((r) => `${r.sanctionType} by ${r.sanctioningBody}, ${r.status}`))})`,
  }));
}

function kybReasons(kyb: TaxKyb | null): RiskReason[] {
  if (kyb?.status === 'not_found') {
    return [{ check: 'kyb', code: 'not_found', severity: 'medium', message: 'The tax registry has no company with this CNPJ.' }];
  }
  if (kyb?.status === 'inactive') {
    return [{ check: 'kyb', code: 'inactive', severity: 'medium', message: `The registration is not active (${kyb.registration}).` }];
  }
  return [];
}

/** Groups findings by their list, in the order of first appearance. */
function byList<T>(findings: readonly T[], listOf: (finding: T) => string): (readonly [string, readonly T[]])[] {
  return [...Map.groupBy(findings, listOf)];
}

const count = (items: readonly unknown[], one: string, many: string): string => `${items.length} ${items.length === 1 ? one : many}`;

/** Joins the first three names, so that a reason stays one sentence. */
const names = (all: readonly string[]): string => (all.length > 3 ? `${all.slice(0, 3).join('; ')}; …` : all.join('; '));
