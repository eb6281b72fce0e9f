import { type Answer, type Awaitable, inMemory, whenKnown } from '../../../domain/answer.ts';
import type { SourceName } from '../../../domain/catalogue.ts';
import { type CompanyKey, legalPersonText } from '../../../domain/company.ts';
import { AppError } from '../../../domain/errors.ts';
import type { Listing, ListLoader } from '../../../loaders/list.ts';
import type { Load } from '../../../loaders/loader.ts';
import { registeredNames, taxpayerLoader } from '../../../loaders/taxpayer.ts';
import { UNREADABLE_ROWS } from '../../../sources/registry/company-documents.ts';
import { compareNames } from '../../sanctions/sources/name-view.ts';

/** A list of Brazil, and the name that a record of it prints. */
export interface NamedList<R> {
  readonly list: ListLoader<R>;
  readonly nameOf: (record: R) => string;
}

/**
 * What a list of Brazil has about a company, by the root of its CNPJ. A list may have rows whose id is damaged. It does not clear a company that
 * such a row may be about: one with a name like the row's, or one whose name is not known. Normally there is no such row, and no name is needed.
 * @param company a Brazilian one
 * @param namesOf its names; those of the tax registry unless given
 * @throws AppError SOURCE_UNAVAILABLE when the list cannot be read, or does not clear the company
 */
export function companyListing<R>(
  { list, nameOf }: NamedList<R>,
  company: CompanyKey,
  load: Load,
  namesOf: (company: CompanyKey, load: Load) => Awaitable<readonly string[]> = registryNames,
): Awaitable<Answer<Listing<R>>> {
  const check = (answer: Answer<Listing<R>>, unreadable: Answer<Listing<R>>): Awaitable<Answer<Listing<R>>> => {
    const printed = unreadable.value.entries.map(({ record }) => nameOf(record)).filter((name) => name !== '');
    if (answer.value.entries.length > 0 || printed.length === 0) return answer;
    return cleared(answer.value.list, namesOf(company, load), printed).then(() => answer);
  };
  const answers = [load(list, legalPersonText(company)), load(list, UNREADABLE_ROWS)] as const;
  return whenKnown(inMemory(answers) ?? Promise.all(answers), ([answer, unreadable]) => check(answer, unreadable));
}

/** @throws AppError SOURCE_UNAVAILABLE unless the names of the company are known and none of them is like a printed one */
async function cleared(list: SourceName, names: Awaitable<readonly string[]>, printed: readonly string[]): Promise<void> {
  await requireOtherNames(list, await knownNames(list, names), printed);
}

/** The legal name and the trade name; none for a company that the registry does not have. @throws AppError for a record without a name */
async function registryNames(company: CompanyKey, load: Load): Promise<readonly string[]> {
  const { value } = await load(taxpayerLoader, company);
  const names = registeredNames(value);
  if (value.record !== null && names.length === 0) throw new AppError('SOURCE_UNAVAILABLE', 'The registry states no name.');
  return names;
}

/** @throws AppError SOURCE_UNAVAILABLE of the list when the names cannot be read */
async function knownNames(list: SourceName, names: Awaitable<readonly string[]>): Promise<readonly string[]> {
  try {
    return await names;
  } catch (cause) {
    if (!(cause instanceof AppError && cause.code === 'SOURCE_UNAVAILABLE')) throw cause;
    throw notCleared(list, 'the name of this company, with which they could be compared, is not known right now; try again later', cause);
  }
}

/** @throws AppError SOURCE_UNAVAILABLE of the list for a name that resembles a printed one, and for one that cannot be compared */
async function requireOtherNames(list: SourceName, names: readonly string[], printed: readonly string[]): Promise<void> {
  for (const name of names) {
    const alike = await compareNames(name, printed);
    if (alike === null || alike.length > 0) throw notCleared(list, 'one of them has a name like that of this company');
  }
}

const notCleared = (list: SourceName, why: string, cause?: AppError): AppError =>
  new AppError(
    'SOURCE_UNAVAILABLE',
    `${list} has rows whose tax id cannot be read, and ${why}: the list does not show whether the company is on it.`,
    { source: list, retryAfterSeconds: 30 },
    { cause: cause ?? new Error('rows without a readable tax id') },
  );
