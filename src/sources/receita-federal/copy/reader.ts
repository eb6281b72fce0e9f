import type { Knex } from 'knex';
import type { Found } from '../../../domain/answer.ts';
import { AppError, sourceUnavailable } from '../../../domain/errors.ts';
import { type Clock, DAY_MS, SECOND_MS } from '../../../domain/time.ts';
import type { ReceitaCompany } from '../company.ts';
import { type CopyHistory, createCopyHistory } from './history.ts';
import { toReceitaCompany } from './record.ts';
import { type AnsweringVersion, findCompanies, readAnswering, type StoredCompany } from './store/find.ts';

/** Time in ms for which the pointer to the version is used without reading it again. */
const POINTER_TTL_MS = 5 * SECOND_MS;
/** Age of an extract from which the copy counts as a failed source. Extracts are published monthly, about a month after their date. */
const STALE_AFTER_MS = 75 * DAY_MS;
const UNDEFINED_TABLE = '42P01';

/** Answer of the copy for one establishment: its record, null for a CNPJ that the registry does not have, or a failure. */
export type CopyAnswer = Found<ReceitaCompany | null> | AppError;

/** The own copy of the registry. */
export interface ReceitaCopy extends CopyHistory {
  /** Returns the id of the version that answers, as last read; null if none is loaded. */
  version(): string | null;
  /** Returns an answer for every CNPJ, by one statement. The copy that is missing or stale is a failure for each. */
  find(cnpjs: readonly string[]): Promise<ReadonlyMap<string, CopyAnswer>>;
  /**
   * Reads tables of the version that answers. `work` must be repeatable: it runs again if an import has dropped the version meanwhile.
   * @throws AppError SOURCE_UNAVAILABLE if the copy is missing, overdue or cannot be read
   */
  read<T>(work: (db: Knex, version: AnsweringVersion) => Promise<T>): Promise<Found<T>>;
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

  /** Calls a function with the version that answers, null for none, and once more if an import has dropped that version meanwhile. */
  async function withVersion<T>(work: (version: AnsweringVersion | null) => Promise<T>, isRetry = false): Promise<T> {
    const version = await answering();
    try {
      return await work(version);
    } catch (error) {
      if (isRetry || (error as { code?: unknown }).code !== UNDEFINED_TABLE) throw error;
      readAt = Number.NEGATIVE_INFINITY;
      return withVersion(work, true);
    }
  }

  /** @param missing returns the result while no version can answer; it may throw */
  const inVersion = <T>(work: (version: AnsweringVersion) => Promise<T>, missing: (failure: AppError) => T): Promise<T> =>
    withVersion(async (version) => {
      const failure = failureOf(version, now());
      return failure || version === null ? missing(failure ?? NOT_LOADED) : work(version);
    });

  return {
    version() {
      void answering().catch(() => undefined); // the next call sees a switch
      return known?.id ?? null;
    },
    find(given) {
      const cnpjs = [...new Set(given)];
      return inVersion<ReadonlyMap<string, CopyAnswer>>(
        async (version) => new Map((await findCompanies(db(), version.id, cnpjs)).map((row) => [row.cnpj, answerOf(row, version)])),
        (failure) => new Map(cnpjs.map((cnpj) => [cnpj, failure])),
      );
    },
    async read(work) {
      try {
        return await inVersion(
          async (version) => ({ value: await work(db(), version), ...factsOf(version) }),
          (failure) => {
            throw failure;
          },
        );
      } catch (error) {
        throw error instanceof AppError ? error : sourceUnavailable('receita_federal', error as Error);
      }
    },
    ...createCopyHistory(db, withVersion),
  };
}

const NOT_LOADED = sourceUnavailable('receita_federal', 'the copy was never loaded');

const goodUntil = ({ extractedOn }: AnsweringVersion): number => Date.parse(extractedOn) + STALE_AFTER_MS;

const factsOf = (version: AnsweringVersion): Omit<Found<never>, 'value'> => ({
  dataAsOf: version.extractedOn,
  fetchedAt: version.loadedAt,
  goodUntil: goodUntil(version),
});

const failureOf = (version: AnsweringVersion | null, now: number): AppError | null =>
  version === null ? NOT_LOADED : now >= goodUntil(version) ? sourceUnavailable('receita_federal', 'the copy is overdue') : null;

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
