import type { Answer } from '../../../domain/answer.ts';
import type { SourceName } from '../../../domain/catalogue.ts';
import { type CompanyKey, legalPersonText } from '../../../domain/company.ts';
import { hasLostCharacters, isSameDescription, mended } from '../../../domain/encoding.ts';
import { AppError, isSourceUnavailable } from '../../../domain/errors.ts';
import { brazilianDate } from '../../../domain/time.ts';
import { type Lookup, readTogether } from '../../../loaders/derived-from.ts';
import type { Listing, ListLoader } from '../../../loaders/list.ts';
import type { Load } from '../../../loaders/loader.ts';
import { registeredNames, taxpayerLoader } from '../../../loaders/taxpayer.ts';
import type { Message } from '../../../messages/message.ts';
import { sourceMessages } from '../../../messages/sources.ts';
import { type NameComparison, nameComparison } from '../../../names/compare-names.ts';
import { statedNames } from '../../../names/other-names.ts';
import { inSlices } from '../../../scheduling/slices.ts';
import { type HolderDocuments, isNameless, unreadableRowsOf } from '../../../sources/registry/company-documents.ts';

/** A list about companies of a country, and the name that a record of it prints. */
export interface NamedList<R> {
  readonly list: ListLoader<R>;
  readonly nameOf: (record: R) => string;
}

/**
 * Looks up the entries of a list about a company, by the root of its tax id. A list may have rows with a damaged id. It does not clear a
 * company that such a row may be about: a company with a name similar to the row's, or with an unknown name, and any company if the row has
 * no name. On Brazilian lists there is normally no such row, and no name is needed. The lookup throws AppError
 * SOURCE_UNAVAILABLE when the list cannot be read, or does not clear the company.
 * @param namesOf returns the names of the company; those of the tax registry unless given
 * @param decides true for a listing that more entries would not change, so that no name is compared; any entry decides unless given. It gets
 * today's date in Brazil
 */
export const companyListing = <R>(
  { list, nameOf }: NamedList<R>,
  {
    namesOf = registryNames,
    decides,
  }: {
    readonly namesOf?: (company: CompanyKey, load: Load) => Promise<readonly string[]>;
    readonly decides?: (listing: Listing<R>, today: string) => boolean;
  } = {},
): Lookup<CompanyKey, Listing<R>> =>
  readTogether(lookupsOf(list), ([answer, { value: unreadable }], company, load, time) => {
    if (answer.value.entries.length > 0 && (!decides || decides(answer.value, time.today(brazilianDate)))) return answer;
    if (isAboutAll(unreadable, nameOf)) return Promise.reject(notCleared(unreadable.list, sourceMessages.nobodyNamed));
    if (!hasNames(unreadable.entries, nameOf)) return answer;
    return cleared(namesOf(company, load), printedNames(unreadable.entries, nameOf), unreadable.list).then(() => answer);
  });

/** The lookups of the entries about a company, and of the rows with a damaged id. */
const lookupsOf = <R>(list: ListLoader<R>) =>
  [
    (company: CompanyKey, load: Load) => load(list, legalPersonText(company)),
    ({ country }: CompanyKey, load: Load) => load(list, unreadableRowsOf(country)),
  ] as const;

const hasNames = <R>(entries: Listing<R>['entries'], nameOf: (record: R) => string): boolean =>
  entries.some(({ record }) => nameOf(record) !== '');

/** True if a row with a damaged id names nobody. Fines of Colombia have such rows; their number is stated with each answer. */
const isAboutAll = <R>({ entries }: Listing<R>, nameOf: (record: R) => string): boolean =>
  entries.some(({ record }) => isNameless(nameOf(record)));

/** A listing that has the entries of a company by its tax id. */
export interface ComparedListing<R> extends Listing<R> {
  /** Tells why the list does not clear the company: its names cannot be read, or one is similar to that of a row with a damaged id. */
  readonly notCleared?: AppError;
  /** True if the company has no name that could be compared with those of rows with a damaged id. */
  readonly hasNoName?: true;
}

/**
 * Looks up the entries of a list about a company, as `companyListing`, and compares its names also if the list has entries of it. If the rows
 * with a damaged id are not cleared, the lookup does not fail: the entries by tax id are known, and `notCleared` says why there may be more.
 * A list without an entry then does not clear the company. `hasNoName` says that no name was compared.
 */
export const comparedListing = <R>(
  { list, nameOf }: NamedList<R>,
  namesOf: (company: CompanyKey, load: Load) => Promise<readonly string[]>,
): Lookup<CompanyKey, ComparedListing<R>> =>
  readTogether(lookupsOf(list), ([answer, { value: unreadable }], company, load) => {
    if (!hasNames(unreadable.entries, nameOf)) return answer;
    return compared(answer, namesOf(company, load), printedNames(unreadable.entries, nameOf));
  });

async function compared<R>(
  answer: Answer<Listing<R>>,
  names: Promise<readonly string[]>,
  printed: Promise<PrintedNames>,
): Promise<Answer<ComparedListing<R>>> {
  try {
    const known = await cleared(names, printed, answer.value.list);
    return known.length > 0 ? answer : { ...answer, value: { ...answer.value, hasNoName: true } };
  } catch (error) {
    if (!isSourceUnavailable(error)) throw error;
    return { ...answer, value: { ...answer.value, notCleared: error } };
  }
}

/**
 * Compares a person with the rows of a list whose id cannot be read. One with a damaged CNPJ and no name is about a company.
 * @param unreadable rows of the list with a damaged id
 * @throws AppError SOURCE_UNAVAILABLE unless all of the rows have a CNPJ or a name, and no name is similar to one of `names`
 */
export async function requireCleared<R extends HolderDocuments>(
  { nameOf }: NamedList<R>,
  names: readonly string[],
  unreadable: Listing<R>,
): Promise<void> {
  if (unreadable.entries.some(({ record }) => record.document === '' && isNameless(nameOf(record))))
    throw notCleared(unreadable.list, sourceMessages.nobodyNamed);
  if (!hasNames(unreadable.entries, nameOf)) return;
  requireOtherNames(unreadable.list, names, await printedNames(unreadable.entries, nameOf));
}

/** Names of rows with a damaged id, prepared for the comparison. */
interface PrintedNames {
  /** Names that have lost letters. They are compared by the other letters. */
  readonly damaged: readonly string[];
  readonly compare: NameComparison;
}

/** Prepared names per version of a list. They are prepared once, and many companies are compared with them. */
const prepared = new WeakMap<Listing<unknown>['entries'], Promise<PrintedNames>>();

function printedNames<R>(entries: Listing<R>['entries'], nameOf: (record: R) => string): Promise<PrintedNames> {
  const known = prepared.get(entries);
  if (known) return known;
  const names = inSlices(namesWithin(entries, nameOf)).then(prepare);
  prepared.set(entries, names);
  names.catch(() => prepared.delete(entries)); // the next company prepares them again
  return names;
}

async function prepare(texts: readonly string[]): Promise<PrintedNames> {
  const damaged = texts.filter((text) => hasLostCharacters(text) && /[a-z]/i.test(text));
  return { damaged, compare: await nameComparison(texts) };
}

/** Takes the printed names apart. A list may print thousands, so this yields after each. */
function* namesWithin<R>(entries: Listing<R>['entries'], nameOf: (record: R) => string): Generator<void, readonly string[], void> {
  const texts = new Set<string>();
  for (const { record } of entries) {
    for (const name of printedParts(comparable(nameOf(record)))) if (name !== '') texts.add(name);
    yield;
  }
  return [...texts];
}

/** Masked CPFs, and numbers of companies. Sole traders have one beside their name in the registry, and often not in a list. */
const NUMBERS = /\*{3}\d{5}(?:\d\*{2}|\*{3})|(?<!\d)\d[\d./-]{6,18}\d(?!\d)/g;

/** Returns a name without the numbers beside it, with its encoding repaired. */
function comparable(name: string): string {
  const meant = mended(name).trim();
  return meant.replace(NUMBERS, ' ').trim() || meant;
}

/** Matches a parenthesis, and the marks between two names of one company. */
const BETWEEN_NAMES = /[()]| [-–—/] /;

/**
 * Returns a printed name and the names within it: `FULANO ME (ANTIGA BELTRANO LTDA)`, `FULANO - BELTRANO`. A part that is no name hardly
 * resembles that of a company.
 */
function printedParts(printed: string): readonly string[] {
  const text = printed.replace(/\s+/g, ' ');
  const stated = statedNames(text).map((name) => name.text);
  const parts = stated.flatMap((name) => name.split(BETWEEN_NAMES)).map((part) => part.trim());
  return [printed, ...stated, ...parts.filter((part) => part.length > MIN_PART)];
}

/** Length above which a part of a printed name is compared: `ME` and `SP` are no names. */
const MIN_PART = 3;

/**
 * Returns the names of the company, which may have none.
 * @throws AppError SOURCE_UNAVAILABLE unless they are known and none of them is similar to a printed one
 */
async function cleared(names: Promise<readonly string[]>, printed: Promise<PrintedNames>, list: SourceName): Promise<readonly string[]> {
  const known = await knownNames(list, names);
  requireOtherNames(list, known, await printed);
  return known;
}

/**
 * Loads the legal name and the trade name; none for a company that the registry does not have. @throws AppError for a record without a
 * name
 */
async function registryNames(company: CompanyKey, load: Load): Promise<readonly string[]> {
  const { value } = await load(taxpayerLoader, company);
  const names = registeredNames(value);
  if (value.record !== null && names.length === 0) throw new AppError('SOURCE_UNAVAILABLE', sourceMessages.noName());
  return names;
}

/** @throws AppError SOURCE_UNAVAILABLE of the list when the names cannot be read */
async function knownNames(list: SourceName, names: Promise<readonly string[]>): Promise<readonly string[]> {
  try {
    return await names;
  } catch (cause) {
    if (!isSourceUnavailable(cause)) throw cause;
    throw notCleared(list, sourceMessages.nameUnknown, cause);
  }
}

/**
 * Returns a function that tells whether rows with a damaged id may be about a company with these names. Without a name to compare they may.
 */
export async function mayName<R>(
  rows: Listing<R>['entries'],
  nameOf: (record: R) => string,
): Promise<(names: readonly string[]) => boolean> {
  if (!hasNames(rows, nameOf)) return () => false;
  const printed = await printedNames(rows, nameOf);
  return (names) => names.length === 0 || likenessOf(names, printed) !== 'none';
}

/** @throws AppError SOURCE_UNAVAILABLE of the list unless no name is similar to a printed one */
function requireOtherNames(list: SourceName, names: readonly string[], printed: PrintedNames): void {
  const likeness = likenessOf(names, printed);
  if (likeness === 'alike') throw notCleared(list, sourceMessages.nameAlike);
  if (likeness === 'no words') throw notCleared(list, sourceMessages.nameWithoutWords);
}

/**
 * Compares names with printed ones. `no words`: no name has a word to compare, because the trade names of some companies are asterisks or a
 * dash. Without any name it is `none`.
 */
function likenessOf(names: readonly string[], { damaged, compare }: PrintedNames): 'alike' | 'no words' | 'none' {
  const hits = names.map(comparable).map((name) => (damaged.some((text) => isSameDescription(name, text)) ? [name] : compare(name)));
  if (hits.some((alike) => alike !== null && alike.length > 0)) return 'alike';
  return hits.length > 0 && hits.every((alike) => alike === null) ? 'no words' : 'none';
}

const notCleared = (list: SourceName, why: (parameters: { readonly list: SourceName }) => Message, cause?: AppError): AppError =>
  new AppError(
    'SOURCE_UNAVAILABLE',
    why({ list }),
    { source: list, retryAfterSeconds: 30 },
    { cause: cause ?? new Error('rows without a readable tax id') },
  );
