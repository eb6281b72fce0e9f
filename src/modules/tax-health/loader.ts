import { type Answer, oldest } from '../../domain/answer.ts';
import type { SourceName } from '../../domain/catalogue.ts';
import { type CompanyKey, legalPersonText } from '../../domain/company.ts';
import { AppError } from '../../domain/errors.ts';
import { chileanDate } from '../../domain/time.ts';
import { derivedFrom, type Lookup, orUnavailable, readTogether } from '../../loaders/derived-from.ts';
import { type Listing, listLoader } from '../../loaders/list.ts';
import { companyLoader, type Load } from '../../loaders/loader.ts';
import { foundedOn, type SiiTaxpayer, siiTaxpayerLoader, statusOf } from '../../loaders/taxpayer.ts';
import type { Message } from '../../messages/message.ts';
import { sourceMessages } from '../../messages/sources.ts';
import type { ListEntry } from '../../sources/registry/registry.ts';
import { revenueTier, riskSignals, salesBracket, type TaxDebt, type TaxHealth, wholeYears } from './domain.ts';
import { mayMean, type TaxDebtEntry, taxDebtors, UNREADABLE_DEBTORS } from './source.ts';

const debtors = listLoader(taxDebtors);

/** Looks up the rows about a company. It refuses an answer that would clear a company which a row in doubt may be about. */
const rowsOf: Lookup<CompanyKey, Listing<TaxDebtEntry>> = readTogether(
  [
    (key: CompanyKey, load: Load) => load(debtors, legalPersonText(key)),
    (_key: CompanyKey, load: Load) => load(debtors, UNREADABLE_DEBTORS),
  ],
  ([answer, { value: unreadable }], { taxId }) => {
    const { list, entries } = answer.value;
    if (entries.some(isCertain)) return answer;
    if (entries.length > 0) return notCleared(list, sourceMessages.doubtfulId({ list }));
    if (unreadable.entries.some(({ record }) => mayMean(record, taxId))) return notCleared(list, sourceMessages.unreadableId({ list }));
    return answer;
  },
);

const isCertain = ({ record }: ListEntry<TaxDebtEntry>): boolean => !record.isDoubtful;

const notCleared = (source: SourceName, why: Message): Promise<never> =>
  Promise.reject(new AppError('SOURCE_UNAVAILABLE', why, { source, retryAfterSeconds: 30 }));

/**
 * Looks up the debts of a company. The lookup throws AppError SOURCE_UNAVAILABLE when the list cannot be read, when the operator provides none,
 * or when only rows without a right RUT may be about the company.
 */
const debtsOf: Lookup<CompanyKey, Listing<TaxDebtEntry>> = derivedFrom(rowsOf, (listing) => ({
  ...listing,
  entries: listing.entries.filter(isCertain),
}));

/**
 * CompanyKey (CL) → TaxDebt, from the list of debtors alone, so that a debt is known while the registry fails.
 * @throws AppError UNSUPPORTED_COUNTRY; SOURCE_UNAVAILABLE, see `debtsOf`
 */
export const taxDebtLoader = companyLoader<'CL', TaxDebt>({
  name: 'tax_debt',
  module: 'tax_health',
  countries: ['CL'],
  subject: 'Tax debts',
  answer: derivedFrom(debtsOf, toDebt),
});

/**
 * CompanyKey (CL) → TaxHealth, from the tax registry and the list of debtors, if the operator provides one and it can be read. The
 * answer is as old as the older of the two. `dataAsOf` is the date of the registry; the list has its own, `debtorsAsOf`.
 * @throws AppError UNSUPPORTED_COUNTRY; SOURCE_UNAVAILABLE when the registry fails, never for the list
 */
export const taxHealthLoader = companyLoader<'CL', TaxHealth>({
  name: 'tax_health',
  module: 'tax_health',
  countries: ['CL'],
  subject: 'Tax health',
  async answer(key, load, time) {
    // The list is null when it is switched off, was never loaded, is overdue or unreadable, or does not clear the company.
    const [registry, list] = await Promise.all([load(siiTaxpayerLoader, key), orUnavailable(debtsOf(key, load, time))]);
    return {
      value: toTaxHealth(registry.value, list, time.today(chileanDate)),
      freshness: { ...oldest([registry.freshness, ...(list ? [list.freshness] : [])]), dataAsOf: registry.freshness.dataAsOf },
    };
  },
});

function toTaxHealth(taxpayer: SiiTaxpayer, list: Answer<Listing<TaxDebtEntry>> | null, today: string): TaxHealth {
  const { source, record } = taxpayer;
  const status = statusOf(taxpayer);
  const founded = foundedOn(taxpayer);
  const debt = record && list && toDebt(list.value);
  const bracket = salesBracket(record?.salesBracket ?? null);
  const tier = bracket && revenueTier(bracket);
  const taxDebtor = debt?.owed ?? null;
  const deregisteredAt = record?.endedOn ?? null;
  return {
    companyName: record?.name ?? null,
    status,
    taxDebtor,
    taxDebtAmount: debt?.amount ?? null,
    taxDebtAsOf: debt?.asOf ?? null,
    debtorsChecked: list !== null,
    debtorsAsOf: list?.freshness.dataAsOf ?? null,
    companyAgeYears: founded === null ? null : wholeYears(founded, today),
    deregisteredAt,
    revenueTier: tier,
    salesBracket: bracket,
    riskSignals: riskSignals({ status, taxDebtor, deregisteredAt, revenueTier: tier, foundedOn: founded, today }),
    source,
  };
}

/** Combines the debts of a company: sums the stated amounts and takes the newest date. */
function toDebt({ entries }: Listing<TaxDebtEntry>): TaxDebt {
  const amounts = entries.flatMap(({ record }) => record.amountClp ?? []);
  const dates = entries.flatMap(({ record }) => record.owedOn ?? []);
  return {
    owed: entries.length > 0,
    amount: amounts.length > 0 ? amounts.reduce((sum, amount) => sum + amount, 0) : null,
    asOf: dates.toSorted().at(-1) ?? null,
  };
}
