import { type Answer, oldest } from '../../domain/answer.ts';
import type { CompanyKey, Country } from '../../domain/company.ts';
import { ALL_CHECKS, CHECKS_OF, type CheckName, type Completeness } from '../../domain/compliance.ts';
import { AppError } from '../../domain/errors.ts';
import { SECOND_MS } from '../../domain/time.ts';
import { findReceipts, pageReceipts } from '../../evidence/store.ts';
import { derivedFromSome } from '../../loaders/derived-from.ts';
import { companyLoader, type Offered } from '../../loaders/loader.ts';
import { rowLoadersOf } from '../../loaders/rows.ts';
import { debarmentLoader } from '../debarment/loader.ts';
import { kybLoader, taxKybLoader } from '../kyb/loader.ts';
import { laborLoader } from '../labor/loader.ts';
import { NO_DECLARED_OWNERS } from '../owners/domain/declared.ts';
import { NO_OWNERS } from '../owners/domain.ts';
import { ownersLoader } from '../owners/loader.ts';
import { declaredOwnersLoader } from '../owners/loaders/declared.ts';
import { sanctionsLoader } from '../sanctions/loader.ts';
import type { TaxDebt } from '../tax-health/domain.ts';
import { taxDebtLoader, taxHealthLoader } from '../tax-health/loader.ts';
import { RULES } from './domain/rules.ts';
import { assessRisk, completeness, type Risk, type Seen } from './domain.ts';

/** The consolidated result: the checks of the country of the company, the risk derived from them, and how complete they are. */
export interface Compliance {
  readonly country: Country;
  readonly companyName: string | null;
  readonly risk: Risk;
  /** Null for a check that failed, and for one that the country does not have. */
  readonly checks: { readonly [check in CheckName]: Answer<NonNullable<Seen[check]>> | null };
  /** Checks that failed, in the order of the country's checks. */
  readonly sourcesFailed: readonly CheckName[];
  readonly completeness: Completeness;
  /** Version of the rules that gave the risk: the date of their last change. */
  readonly rulesVersion: string;
  /** Epoch ms. */
  readonly generatedAt: number;
}

/** A check counts as failed after this time, so that the consolidated check answers within 10 s. */
const CHECK_DEADLINE_MS = 9.5 * SECOND_MS;

/** The modules with consolidated checks. A key with one of them may read the receipts of its account. */
export const COMPLIANCE_MODULES = ['compliance_br', 'compliance'] as const;

/** Runs the checks of Brazil in parallel, through the loaders of their own modules. */
const ofBrazil = derivedFromSome(
  [taxKybLoader, sanctionsLoader, debarmentLoader, laborLoader, ownersLoader],
  CHECK_DEADLINE_MS,
  (kyb, sanctions, debarment, labor, owners) =>
    combined('BR', { kyb, sanctions, debarment, labor, owners: owners && { ...owners, value: owners.value ?? NO_OWNERS } }),
  (now) => nothing('BR', now),
);

/** Runs the checks of Chile. The list of tax debtors is also read by itself, so that a debt raises the level while the registry fails. */
const ofChile = derivedFromSome(
  [taxKybLoader, sanctionsLoader, taxHealthLoader, taxDebtLoader, declaredOwnersLoader],
  CHECK_DEADLINE_MS,
  (kyb, sanctions, tax_health, debt, found) => {
    const owners = found && { ...found, value: found.value ?? NO_DECLARED_OWNERS };
    return combined('CL', { kyb, sanctions, owners, tax_health }, debt);
  },
  (now) => nothing('CL', now),
);

/** Runs the checks of Colombia. */
const ofColombia = derivedFromSome(
  [kybLoader, sanctionsLoader],
  CHECK_DEADLINE_MS,
  (kyb, sanctions) => combined('CO', { kyb, sanctions }),
  (now) => nothing('CO', now),
);

const shared = {
  counts: ({ completeness }: Compliance) => completeness !== 'insufficient',
  dated: ({ value, freshness }: Answer<Compliance>, now: number) => ({ value: { ...value, generatedAt: now }, freshness }),
};

/**
 * CompanyKey (BR) → Compliance. A check whose source failed is null and named in `sourcesFailed`; it never fails the consolidated check.
 * @throws AppError UNSUPPORTED_COUNTRY
 */
export const complianceBrLoader = companyLoader<'BR', Compliance>({
  name: 'compliance_br',
  module: 'compliance_br',
  countries: ['BR'],
  subject: 'The consolidated check',
  answer: ofBrazil,
  ...shared,
});

/**
 * CompanyKey (CL, CO) → Compliance, as for Brazil, by the checks and rules of the country.
 * @throws AppError UNSUPPORTED_COUNTRY
 */
export const complianceLoader = companyLoader<'CL' | 'CO', Compliance>({
  name: 'compliance',
  module: 'compliance',
  countries: ['CL', 'CO'],
  subject: 'The consolidated check',
  answer: (company, load, time) => (company.country === 'CL' ? ofChile : ofColombia)(company, load, time),
  ...shared,
});

/** The loader of each country. */
export const complianceLoaders: Readonly<Record<Country, Offered<CompanyKey, Compliance>>> = {
  BR: complianceBrLoader,
  CL: complianceLoader,
  CO: complianceLoader,
};

const NO_CHECKS: Compliance['checks'] = Object.fromEntries(ALL_CHECKS.map((check) => [check, null])) as Compliance['checks'];

/** Combines the answers to the checks of a country, without a date; null if no check answered. */
function combined(
  country: Country,
  answers: Partial<Compliance['checks']>,
  debt: Answer<TaxDebt> | null = null,
): Answer<Compliance> | null {
  const ages = CHECKS_OF[country].flatMap((check: CheckName) => answers[check]?.freshness ?? []);
  if (debt?.value.owed) ages.push(debt.freshness);
  if (ages.length === 0) return null;
  return { value: resultOf(country, { ...NO_CHECKS, ...answers }, debt?.value ?? null), freshness: oldest(ages) };
}

/** Returns the answer for the case that no check answered. */
function nothing(country: Country, now: number): Answer<Compliance> {
  return {
    value: resultOf(country, NO_CHECKS),
    freshness: { fetchedAt: now, dataAsOf: null, cached: false, stale: false, expiresAt: null },
  };
}

function resultOf(country: Country, checks: Compliance['checks'], taxDebt: TaxDebt | null = null): Compliance {
  const { kyb, sanctions, debarment, labor, owners, tax_health } = checks;
  const seen: Seen = {
    kyb: kyb?.value ?? null,
    sanctions: sanctions?.value ?? null,
    debarment: debarment?.value ?? null,
    labor: labor?.value ?? null,
    owners: owners?.value ?? null,
    tax_health: tax_health?.value ?? null,
    taxDebt,
  };
  return {
    country,
    companyName: seen.kyb?.companyName || seen.owners?.companyName || seen.tax_health?.companyName || null,
    risk: assessRisk(country, seen),
    checks,
    sourcesFailed: CHECKS_OF[country].filter((check: CheckName) => checks[check] === null),
    completeness: completeness(country, seen),
    rulesVersion: RULES[country].version,
    generatedAt: 0, // `dated` sets it
  };
}

const rowsOf = rowLoadersOf(COMPLIANCE_MODULES);

/** Loads a receipt of the account; null if it does not exist. */
export const receiptLoader = rowsOf('receipt', findReceipts);
/** Loads a page of the receipts of an account, in the order of its chain. */
export const receiptsLoader = rowsOf('receipts', pageReceipts);

/** @throws AppError SOURCE_UNAVAILABLE for a check that no source answered, if the key treats that as an error */
export function requireAnswered({ completeness }: Compliance, { failsIncomplete }: { readonly failsIncomplete: boolean }): void {
  if (failsIncomplete && completeness === 'insufficient')
    throw new AppError('SOURCE_UNAVAILABLE', 'No source of the consolidated check answered; try again later.', { retryAfterSeconds: 30 });
}
