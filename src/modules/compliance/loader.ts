import { type Answer, oldest } from '../../domain/answer.ts';
import type { CompanyKey, Country } from '../../domain/company.ts';
import { ALL_CHECKS, CHECKS_OF, type CheckName, type Completeness } from '../../domain/compliance.ts';
import { AppError } from '../../domain/errors.ts';
import { type AccountLists, type OptionalList, optionalLists } from '../../domain/optional-lists.ts';
import { SECOND_MS } from '../../domain/time.ts';
import { findReceipts, pageReceipts, pageReceiptsOf } from '../../evidence/store.ts';
import { byChoice, nameOfChoice } from '../../loaders/by-choice.ts';
import { derivedFromSome } from '../../loaders/derived-from.ts';
import { companyLoader, type Offered } from '../../loaders/loader.ts';
import { rowLoadersOf } from '../../loaders/rows.ts';
import { sourceMessages } from '../../messages/sources.ts';
import { debarmentLoaderOf } from '../debarment/loader.ts';
import { contractFinesLoader } from '../debarment/loaders/contract-fines.ts';
import { kybLoader, taxKybLoader } from '../kyb/loader.ts';
import { laborLoader } from '../labor/loader.ts';
import { NO_DECLARED_OWNERS } from '../owners/domain/declared.ts';
import { NO_OFFICERS, NO_OWNERS } from '../owners/domain.ts';
import { ownersLoader } from '../owners/loader.ts';
import { declaredOwnersLoader } from '../owners/loaders/declared.ts';
import { ownersOrOfficersLoader } from '../owners/loaders/officers.ts';
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
  /** Optional lists that the check had to read. */
  readonly lists: readonly OptionalList[];
  /** Epoch ms. */
  readonly generatedAt: number;
}

/** A check counts as failed after this time, so that the consolidated check answers within 10 s. */
const CHECK_DEADLINE_MS = 9.5 * SECOND_MS;

/** The modules with consolidated checks. A key with one of them may read the receipts of its account. */
export const COMPLIANCE_MODULES = ['compliance_br', 'compliance'] as const;

/** Lists by which an account can have its verdicts decided. */
const DECIDING_LISTS = optionalLists({ mayDecide: true });

/** Runs the checks of Brazil in parallel, through the loaders of their own modules. */
const ofBrazil = (lists: readonly OptionalList[]) =>
  derivedFromSome(
    [taxKybLoader, sanctionsLoader, debarmentLoaderOf(lists), laborLoader, ownersLoader],
    CHECK_DEADLINE_MS,
    (kyb, sanctions, debarment, labor, owners) =>
      combined(
        { country: 'BR', lists },
        { kyb, sanctions, debarment, labor, owners: owners && { ...owners, value: owners.value ?? NO_OWNERS } },
      ),
    (now) => nothing({ country: 'BR', lists }, now),
  );

/** Runs the checks of Chile. The list of tax debtors is also read by itself, so that a debt raises the level while the registry fails. */
const ofChile = derivedFromSome(
  [taxKybLoader, sanctionsLoader, taxHealthLoader, taxDebtLoader, declaredOwnersLoader],
  CHECK_DEADLINE_MS,
  (kyb, sanctions, tax_health, debt, found) => {
    const owners = found && { ...found, value: found.value ?? NO_DECLARED_OWNERS };
    return combined({ country: 'CL', lists: [] }, { kyb, sanctions, owners, tax_health }, debt);
  },
  (now) => nothing({ country: 'CL', lists: [] }, now),
);

/** Runs the checks of Colombia. Its officers and the registration are read by one call. */
const ofColombia = derivedFromSome(
  [kybLoader, sanctionsLoader, ownersOrOfficersLoader, contractFinesLoader],
  CHECK_DEADLINE_MS,
  (kyb, sanctions, found, contract_fines) => {
    const owners = found && { ...found, value: found.value ?? NO_OFFICERS };
    return combined({ country: 'CO', lists: [] }, { kyb, sanctions, owners, contract_fines });
  },
  (now) => nothing({ country: 'CO', lists: [] }, now),
);

const shared = {
  counts: ({ completeness }: Compliance) => completeness !== 'insufficient',
  dated: ({ value, freshness }: Answer<Compliance>, now: number) => ({ value: { ...value, generatedAt: now }, freshness }),
};

/**
 * Returns the loader CompanyKey (BR) → Compliance for the optional lists that the verdict has to read. A check whose source failed is null
 * and named in `sourcesFailed`; it never fails the consolidated check.
 * @throws AppError, its answers: UNSUPPORTED_COUNTRY
 */
export const complianceBrLoaderOf = byChoice(DECIDING_LISTS, (lists) =>
  companyLoader<'BR', Compliance>({
    name: nameOfChoice('compliance_br', lists),
    module: 'compliance_br',
    countries: ['BR'],
    subject: 'The consolidated check',
    answer: ofBrazil(lists),
    ...shared,
  }),
);

/**
 * CompanyKey (CL, CO) → Compliance, as for Brazil, by the checks and rules of the country. No check of these countries reads a list that an
 * account can choose for its verdicts.
 */
export const complianceLoader = companyLoader<'CL' | 'CO', Compliance>({
  name: 'compliance',
  module: 'compliance',
  countries: ['CL', 'CO'],
  subject: 'The consolidated check',
  answer: (company, load, time) => (company.country === 'CL' ? ofChile : ofColombia)(company, load, time),
  ...shared,
});

/** Returns the loader of a country, with the lists that the account of the caller has chosen for its verdicts. */
export const complianceLoaderFor = (country: Country, { lists }: { readonly lists: AccountLists }): Offered<CompanyKey, Compliance> =>
  country === 'BR' ? complianceBrLoaderOf(lists.verdicts) : complianceLoader;

const NO_CHECKS: Compliance['checks'] = Object.fromEntries(ALL_CHECKS.map((check) => [check, null])) as Compliance['checks'];

/** The country of a check, and the optional lists that it had to read. */
type Checked = Pick<Compliance, 'country' | 'lists'>;

/** Combines the answers to the checks of a country, without a date; null if no check answered. */
function combined(
  checked: Checked,
  answers: Partial<Compliance['checks']>,
  debt: Answer<TaxDebt> | null = null,
): Answer<Compliance> | null {
  const ages = CHECKS_OF[checked.country].flatMap((check: CheckName) => answers[check]?.freshness ?? []);
  if (debt?.value.owed) ages.push(debt.freshness);
  if (ages.length === 0) return null;
  return { value: resultOf(checked, { ...NO_CHECKS, ...answers }, debt?.value ?? null), freshness: oldest(ages) };
}

/** Returns the answer for the case that no check answered. */
function nothing(checked: Checked, now: number): Answer<Compliance> {
  return {
    value: resultOf(checked, NO_CHECKS),
    freshness: { fetchedAt: now, dataAsOf: null, cached: false, stale: false, expiresAt: null },
  };
}

function resultOf({ country, lists }: Checked, checks: Compliance['checks'], taxDebt: TaxDebt | null = null): Compliance {
  const { kyb, sanctions, debarment, labor, owners, tax_health, contract_fines } = checks;
  const seen: Seen = {
    kyb: kyb?.value ?? null,
    kybAsOf: kyb?.freshness.dataAsOf ?? null,
    sanctions: sanctions?.value ?? null,
    debarment: debarment?.value ?? null,
    labor: labor?.value ?? null,
    owners: owners?.value ?? null,
    tax_health: tax_health?.value ?? null,
    contract_fines: contract_fines?.value ?? null,
    taxDebt,
  };
  return {
    country,
    companyName: seen.kyb?.companyName || seen.owners?.companyName || seen.tax_health?.companyName || null,
    risk: assessRisk(country, seen),
    checks,
    sourcesFailed: CHECKS_OF[country].filter((check: CheckName) => checks[check] === null),
    completeness: completeness(country, seen, lists),
    rulesVersion: RULES[country].version,
    lists,
    generatedAt: 0, // `dated` sets it
  };
}

const rowsOf = rowLoadersOf(COMPLIANCE_MODULES);

/** Loads a receipt of the account; null if it does not exist. */
export const receiptLoader = rowsOf('receipt', findReceipts);
/** Loads a page of the receipts of an account, in the order of its chain. */
export const receiptsLoader = rowsOf('receipts', pageReceipts);
/** Loads a page of the receipts of an account about a company, newest first, by the module of the country of the company. */
export const companyReceiptsLoaders = {
  compliance_br: rowLoadersOf('compliance_br')('receipts_of_company', pageReceiptsOf),
  compliance: rowLoadersOf('compliance')('receipts_of_company', pageReceiptsOf),
} as const;

/** @throws AppError SOURCE_UNAVAILABLE for a check that no source answered, if the key treats that as an error */
export function requireAnswered({ completeness }: Compliance, { failsIncomplete }: { readonly failsIncomplete: boolean }): void {
  if (failsIncomplete && completeness === 'insufficient')
    throw new AppError('SOURCE_UNAVAILABLE', sourceMessages.noneAnswered(), { retryAfterSeconds: 30 });
}
