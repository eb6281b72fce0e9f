import { type CompanyKey, legalPersonText } from '../../../domain/company.ts';
import { sourceUnavailable } from '../../../domain/errors.ts';
import { colombianDate, SECOND_MS } from '../../../domain/time.ts';
import { companyNamesLoader } from '../../../loaders/company-names.ts';
import { orUnavailable, settledWithin } from '../../../loaders/derived-from.ts';
import { derivedFromLists, type ListLoader, listFacts, listLoader } from '../../../loaders/list.ts';
import { companyLoader, type Load } from '../../../loaders/loader.ts';
import { coverageMessages } from '../../../messages/coverage.ts';
import type { ListEntry, RegistrySource } from '../../../sources/registry/registry.ts';
import { type ContractFine, type ContractFines, FINE_LISTS, type FineList, isHistorical } from '../domain/contract-fines.ts';
import type { FineEntry } from '../sources/fine-rows.ts';
import { multasSecopI } from '../sources/multas-secop-i.ts';
import { multasSecopIi } from '../sources/multas-secop-ii.ts';
import { type ComparedListing, comparedListing } from './company-listing.ts';

const SOURCE_OF: Readonly<Record<FineList, RegistrySource<FineEntry>>> = { MULTAS_SECOP_I: multasSecopI, MULTAS_SECOP_II: multasSecopIi };

/** The source of each list, in the order of `FINE_LISTS`. */
export const fineSources: readonly RegistrySource<FineEntry>[] = FINE_LISTS.map((list) => SOURCE_OF[list]);

const fineLists: readonly ListLoader<FineEntry>[] = fineSources.map(listLoader);

/**
 * Time in ms for which a fined company waits for its names, because its records are known without them. It is below the time budget of the
 * register (9 s).
 */
const NAMES_WITHIN_MS = 2.5 * SECOND_MS;

/**
 * Loads the names of a company in the commercial register; none for a company that never registers there.
 * @throws AppError SOURCE_UNAVAILABLE of the register, for a company with a fine also if it takes more than 2.5 s
 */
async function registeredNames(company: CompanyKey, load: Load): Promise<readonly string[]> {
  if (!(await isFined(company, load))) return (await load(companyNamesLoader, company)).value;
  const [names] = await settledWithin(NAMES_WITHIN_MS, [load(companyNamesLoader, company)]);
  if (!names) throw sourceUnavailable('rues', 'no names in time for a company whose fines are known');
  return names.value;
}

/** True for a company of which one of the lists that can be read has a fine. */
async function isFined(company: CompanyKey, load: Load): Promise<boolean> {
  const own = await Promise.all(fineLists.map((list) => orUnavailable(load(list, legalPersonText(company)))));
  return own.some((answer) => answer !== null && answer.value.entries.length > 0);
}

/**
 * CompanyKey (CO) → ContractFines: the fines of SECOP I and SECOP II. A fined company has the records of its NIT, also
 * if its names cannot be read in time or resemble that of a fine without a known contractor.
 * @throws AppError, its answers: UNSUPPORTED_COUNTRY; SOURCE_UNAVAILABLE when a list cannot be read, or does not clear the company, and the
 * other has no record
 */
export const contractFinesLoader = companyLoader<'CO', ContractFines>({
  name: 'contract_fines',
  module: 'debarment',
  countries: ['CO'],
  subject: 'Contract fines',
  answer: derivedFromLists(
    fineLists.map((list) => comparedListing({ list, nameOf: ({ name }) => name }, registeredNames)),
    toContractFines,
    colombianDate,
  ),
});

/** @throws AppError SOURCE_UNAVAILABLE for a company without a record that a fine without a known contractor may be about */
function toContractFines(seen: readonly ComparedListing<FineEntry>[], { taxId }: CompanyKey, today: string): ContractFines {
  const records = seen
    .flatMap(({ list, entries }) => entries.map((entry) => toFine(list as FineList, entry, taxId, today)))
    .sort((a, b) => (b.date ?? '').localeCompare(a.date ?? ''));
  const failure = seen.find(({ notCleared }) => notCleared)?.notCleared;
  if (failure && records.length === 0) throw failure;
  return {
    isDebarred: false,
    records,
    namesCompared: seen.every(({ notCleared, hasNoName }) => !notCleared && !hasNoName),
    sourcesChecked: seen.map(({ list }) => list as FineList),
    unassignedFines: seen.reduce((sum, { version }) => sum + version.rowsUnmatched, 0),
    coverage: coverageMessages.contractFines().in('en'),
    lists: seen.map(listFacts),
  };
}

const toFine = (source: FineList, { id, record }: ListEntry<FineEntry>, requested: string, today: string): ContractFine => ({
  id: `${source}:${id}:${requested}`,
  source,
  entity: record.entity,
  entityTaxId: record.entityTaxId,
  kind: record.kind,
  amount: record.amountCop,
  resolution: record.resolution,
  date: record.date,
  contract: record.contract,
  processId: record.processId,
  processUrl: record.processUrl,
  isHistorical: isHistorical(record.date, today),
});
