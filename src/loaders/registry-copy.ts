import type { Found } from '../domain/answer.ts';
import { type CompanyKey, requireCountry } from '../domain/company.ts';
import { AppError, sourceUnavailable } from '../domain/errors.ts';
import { cnpjRoot } from '../domain/tax-id.ts';
import { sourceMessages } from '../messages/sources.ts';
import type { Subject } from '../messages/subjects.ts';
import type { ReceitaCopy } from '../sources/receita-federal/copy/reader.ts';
import { type ReceitaFederalCalls, receitaFederal } from '../sources/receita-federal/receita-federal.ts';
import type { Use } from '../sources/source.ts';
import { answered, copyCache } from './copy-facts.ts';
import type { FetchingLoader } from './loader.ts';

/** A loader of the own copy of the Brazilian registry. */
export interface CopyLoaderSpec<K, V> {
  readonly name: string;
  readonly key: (key: K) => string;
  /** Returns false for a value that another attempt may change, which is fresh for a minute. By default every value is final. */
  readonly isFinal?: (value: V) => boolean;
  /** Reads one value per key, in order, by one statement. */
  readonly read: (copy: ReceitaCopy, keys: readonly K[]) => Promise<Found<readonly V[]>>;
}

/** Returns the version of answers that are read from the own copy; null in the mode `live`, in which nothing reads it. */
export function copyCacheVersion(use: Use): string | null {
  const { mode, copy } = use(receitaFederal);
  return mode === 'live' ? null : copy.cacheVersion();
}

/**
 * Creates a loader that reads the own copy of the Brazilian registry. Its answers are fresh for 6 h and stale up to 24 h, and invalid as
 * soon as another version answers.
 * @throws AppError SOURCE_NOT_CONFIGURED in the mode `live`; SOURCE_UNAVAILABLE while the copy is missing or overdue
 */
export const copyLoader = <K, V>({ name, key, isFinal = () => true, read }: CopyLoaderSpec<K, V>): FetchingLoader<K, V> => ({
  name,
  key,
  cache: copyCache(isFinal),
  cacheVersion: copyCacheVersion,
  batch(keys, use) {
    const pages = readAll(use(receitaFederal), keys, read);
    return keys.map(async (_, i) => {
      const { value, ...facts } = await pages;
      return { value: answered('receita_federal', value[i]), ...facts };
    });
  },
});

const readAll = async <K, V>(
  { mode, copy }: ReceitaFederalCalls,
  keys: readonly K[],
  read: CopyLoaderSpec<K, V>['read'],
): Promise<Found<readonly V[]>> => {
  if (mode === 'live') throw noCopy();
  return read(copy, keys);
};

/** Creates the error of a service without an own copy of the registry, which the mirrors cannot replace. */
export const noCopy = (): AppError => new AppError('SOURCE_NOT_CONFIGURED', sourceMessages.noCopy(), { source: 'receita_federal' });

/** Creates the error for a company that the copy lacks and of which it cannot prove that the registry does not have it. */
export const unreadCompany = (): AppError =>
  sourceUnavailable('receita_federal', 'the copy has no record of this company, and rows that could not be read or were erased');

/**
 * Returns the root of a Brazilian company: the first eight characters of its CNPJ.
 * @throws AppError UNSUPPORTED_COUNTRY
 */
export function brazilianRoot({ country, taxId }: CompanyKey, subject: Subject): string {
  requireCountry(country, COPY_COUNTRIES, subject);
  return cnpjRoot(taxId);
}

/** Countries whose registry the service has an own copy of. */
export const COPY_COUNTRIES = ['BR'] as const;
