import type { Knex } from 'knex';
import type { Found } from '../../../domain/answer.ts';
import { AppError, sourceUnavailable } from '../../../domain/errors.ts';
import { type Clock, DAY_MS, SECOND_MS } from '../../../domain/time.ts';
import type { ReceitaCompany } from '../company.ts';
import { toReceitaCompany } from './record.ts';
import { type AnsweringVersion, findCompanies, readAnswering, type StoredCompany } from './store/find.ts';
import { findByName, type NameQuery, type NameRows } from './store/find-by-name.ts';

/** Time in ms for which the pointer to the version is used without reading it again. */
const POINTER_TTL_MS = 5 * SECOND_MS;
/** Age of an extract from which the copy counts as a failed source. Extracts are published monthly, about a month after their date. */
const STALE_AFTER_MS = 75 * DAY_MS;
const UNDEFINED_TABLE = '42P01';

/** Answer of the copy for one establishment: its record, null for a CNPJ that the registry does not have, or a failure. */
export type CopyAnswer = Found<ReceitaCompany | null> | AppError;

/** The own copy of the registry. */
export interface ReceitaCopy {
  /** Returns the id of the version that answers, as last read; null if none is loaded. */
  version(): string | null;
  /** Returns an answer for every CNPJ, by one statement. The copy that is missing or stale is a failure for each. */
  find(cnpjs: readonly string[]): Promise<ReadonlyMap<string, CopyAnswer>>;
  /**
   * Finds establishments by name, by one statement.
   * @throws AppError SOURCE_NOT_CONFIGURED without a copy that has an index of names, SOURCE_UNAVAILABLE for an overdue copy
   */
  search(query: NameQuery): Promise<Found<NameRows>>;
}

/**
 * @param db returns the pool; it is not called before the copy is read
 * @param origin `sandbox` or `publisher`
 */
export function createReceitaCopy(db: () => Knex, origin: string, now: Clock): ReceitaCopy {
  let known: AnsweringVersion | null = null;
  let reading: Promise<AnsweringVersion | null> = Promise.resolve(null);
  let readAt = Number.NEGATIVE_INFINITY;

  async function answering(): Promise<AnsweringVersion | null> {
    if (now() - readAt >= POINTER_TTL_MS || now() < readAt) {
      readAt = now();
      reading = readAnswering(db(), origin).then((version) => {
        known = version;
        return version;
      });
      reading.catch(() => {
        readAt = Number.NEGATIVE_INFINITY;
      });
    }
    return reading;
  }

  /** Reads from the version that answers, and once more if an import has dropped it meanwhile, because it was no longer the current one. */
  async function fromAnswering<T>(read: (version: AnsweringVersion | null) => Promise<T>): Promise<T> {
    try {
      return await read(await answering());
    } catch (error) {
      if (!isUndefinedTable(error)) throw error;
      readAt = Number.NEGATIVE_INFINITY;
      return read(await answering());
    }
  }

  async function read(cnpjs: readonly string[], version: AnsweringVersion | null): Promise<ReadonlyMap<string, CopyAnswer>> {
    const failure = failureOf(version, now());
    if (failure || version === null) return new Map(cnpjs.map((cnpj) => [cnpj, failure ?? NOT_LOADED]));
    const rows = await findCompanies(db(), version.id, cnpjs);
    return new Map(rows.map((row) => [row.cnpj, answerOf(row, version)]));
  }

  async function search(query: NameQuery, version: AnsweringVersion | null): Promise<Found<NameRows>> {
    if (version === null) throw searchNeedsCopy();
    const failure = failureOf(version, now());
    if (failure) throw failure;
    return { value: await findByName(db(), version.id, query), ...factsOf(version) };
  }

  return {
    version() {
      void answering().catch(() => undefined); // the next call sees a switch
      return known?.id ?? null;
    },
    find: (cnpjs) => fromAnswering((version) => read([...new Set(cnpjs)], version)),
    search: (query) =>
      fromAnswering((version) => search(query, version)).catch((error: Error) => {
        throw isUndefinedTable(error) ? searchNeedsCopy() : error;
      }),
  };
}

const NOT_LOADED = sourceUnavailable('receita_federal', 'the copy was never loaded');

const isUndefinedTable = (error: unknown): boolean => (error as { readonly code?: unknown }).code === UNDEFINED_TABLE;

/** Creates the error for a search by name without a copy that has an index of names. It says what the operator must do. */
export const searchNeedsCopy = (): AppError =>
  new AppError(
    'SOURCE_NOT_CONFIGURED',
    'Brazilian companies are searched in the own copy of the registry, which this service does not have: its operator must load it by `quipu import receita` and set QUIPU_RECEITA_MODE to copy or copy-then-live.',
    { source: 'receita_federal' },
  );

const goodUntil = ({ extractedOn }: AnsweringVersion): number => Date.parse(extractedOn) + STALE_AFTER_MS;

const failureOf = (version: AnsweringVersion | null, now: number): AppError | null =>
  version === null ? NOT_LOADED : now >= goodUntil(version) ? sourceUnavailable('receita_federal', 'the copy is overdue') : null;

const factsOf = (version: AnsweringVersion) => ({
  dataAsOf: version.extractedOn,
  fetchedAt: version.loadedAt,
  goodUntil: goodUntil(version),
});

function answerOf(row: StoredCompany, version: AnsweringVersion): CopyAnswer {
  if (row.isUnread) return sourceUnavailable('receita_federal', 'a row of this company could not be read');
  const facts = factsOf(version);
  const { status } = row;
  if (status === null) {
    if (version.hasUnattributed) return sourceUnavailable('receita_federal', 'the copy has rows whose company could not be read');
    return { value: null, ...facts };
  }
  if (!row.hasCompany) return sourceUnavailable('receita_federal', 'the company of this establishment is not in the files');
  const value = toReceitaCompany({ ...row, status });
  if (value.legalName === '') return sourceUnavailable('receita_federal', 'the record has no legal name');
  return { value, ...facts };
}
