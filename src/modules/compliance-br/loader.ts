import { type Answer, oldest } from '../../domain/answer.ts';
import { CHECKS, type CheckName, type Completeness } from '../../domain/compliance.ts';
import { AppError } from '../../domain/errors.ts';
import { SECOND_MS } from '../../domain/time.ts';
import { findReceipts, pageReceipts } from '../../evidence/store.ts';
import { derivedFromSome } from '../../loaders/derived-from.ts';
import { companyLoader } from '../../loaders/loader.ts';
import { rowLoadersOf } from '../../loaders/rows.ts';
import type { Debarment } from '../debarment/domain.ts';
import { debarmentLoader } from '../debarment/loader.ts';
import type { TaxKyb } from '../kyb/domain.ts';
import { taxKybLoader } from '../kyb/loader.ts';
import type { Labor } from '../labor/domain.ts';
import { laborLoader } from '../labor/loader.ts';
import { NO_OWNERS, type Owners } from '../owners/domain.ts';
import { ownersLoader } from '../owners/loader.ts';
import type { Sanctions } from '../sanctions/domain.ts';
import { sanctionsLoader } from '../sanctions/loader.ts';
import { assessRisk, completeness, type Risk, type Seen } from './domain.ts';

/** The consolidated result: five checks, the risk derived from them, and how complete they are. */
export interface Compliance {
  readonly companyName: string | null;
  readonly risk: Risk;
  readonly checks: { readonly [check in CheckName]: Answer<NonNullable<Seen[check]>> | null };
  /** Checks that failed, in the order of CHECKS. */
  readonly sourcesFailed: readonly CheckName[];
  readonly completeness: Completeness;
  /** Epoch ms. */
  readonly generatedAt: number;
}

/** A check counts as failed after this time, so that the consolidated check answers within 10 s. */
const CHECK_DEADLINE_MS = 9.5 * SECOND_MS;

/**
 * CompanyKey (BR) → Compliance: runs five checks in parallel, through the loaders of their own modules. A check whose source failed is
 * null and named in `sourcesFailed`; it never fails the consolidated check.
 * @throws AppError UNSUPPORTED_COUNTRY
 */
export const complianceBrLoader = companyLoader<'BR', Compliance>({
  name: 'compliance_br',
  module: 'compliance_br',
  countries: ['BR'],
  subject: 'The consolidated check',
  counts: ({ completeness }) => completeness !== 'insufficient',
  answer: derivedFromSome(
    [taxKybLoader, sanctionsLoader, debarmentLoader, laborLoader, ownersLoader],
    CHECK_DEADLINE_MS,
    combined,
    nothing,
  ),
  dated: ({ value, freshness }, now) => ({ value: { ...value, generatedAt: now }, freshness }),
});

/** Answers of the five checks, in the order of CHECKS; null for a check that failed. */
type Checks = readonly [
  kyb: Answer<TaxKyb> | null,
  sanctions: Answer<Sanctions> | null,
  debarment: Answer<Debarment> | null,
  labor: Answer<Labor> | null,
  owners: Answer<Owners | null> | null,
];

/** Combines the answers, without a date; null if no check answered. */
function combined(...[kyb, sanctions, debarment, labor, owners]: Checks): Answer<Compliance> | null {
  const checks = { kyb, sanctions, debarment, labor, owners: owners && { ...owners, value: owners.value ?? NO_OWNERS } };
  const seen: Seen = {
    kyb: kyb?.value ?? null,
    sanctions: sanctions?.value ?? null,
    debarment: debarment?.value ?? null,
    labor: labor?.value ?? null,
    owners: checks.owners?.value ?? null,
  };
  const ages = CHECKS.flatMap((check) => checks[check]?.freshness ?? []);
  if (ages.length === 0) return null;
  return { value: resultOf(checks, seen), freshness: oldest(ages) };
}

const NO_CHECKS = { kyb: null, sanctions: null, debarment: null, labor: null, owners: null } as const;

/** Returns the answer for the case that no check answered. */
function nothing(now: number): Answer<Compliance> {
  return {
    value: resultOf(NO_CHECKS, NO_CHECKS),
    freshness: { fetchedAt: now, dataAsOf: null, cached: false, stale: false, expiresAt: null },
  };
}

const resultOf = (checks: Compliance['checks'], seen: Seen): Compliance => ({
  companyName: seen.kyb?.companyName || seen.owners?.companyName || null,
  risk: assessRisk(seen),
  checks,
  sourcesFailed: CHECKS.filter((check) => checks[check] === null),
  completeness: completeness(seen),
  generatedAt: 0, // `dated` sets it
});

const rowsOf = rowLoadersOf('compliance_br');

/** Loads a receipt of the account; null if it does not exist. */
export const receiptLoader = rowsOf('receipt', findReceipts);
/** Loads a page of the receipts of an account, in the order of its chain. */
export const receiptsLoader = rowsOf('receipts', pageReceipts);

/** @throws AppError SOURCE_UNAVAILABLE for a check that no source answered, if the key treats that as an error */
export function requireAnswered({ completeness }: Compliance, { failsIncomplete }: { readonly failsIncomplete: boolean }): void {
  if (failsIncomplete && completeness === 'insufficient')
    throw new AppError('SOURCE_UNAVAILABLE', 'No source of the consolidated check answered; try again later.', { retryAfterSeconds: 30 });
}
