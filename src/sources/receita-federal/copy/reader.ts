import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { type CopyReads, readsOf } from '../../../db/read-replica.ts';
import { failureOfRead } from '../../../db/unavailable.ts';
import type { Found } from '../../../domain/answer.ts';
import { type AppError, sourceUnavailable } from '../../../domain/errors.ts';
import { type Clock, SECOND_MS } from '../../../domain/time.ts';
import type { ReceitaCompany } from '../company.ts';
import { goodUntil } from './health.ts';
import { type CopyHistory, createCopyHistory } from './history.ts';
import { toReceitaCompany, withoutLostPartners } from './record.ts';
import { type CopyHealth, readHealth } from './store/attempts.ts';
import { type AnsweringVersion, companyFinder, hasVersion, readAnswering, type StoredCompany } from './store/find.ts';

/** Time in ms for which the pointer to the version is used without reading it again. */
const POINTER_TTL_MS = 5 * SECOND_MS;
const UNDEFINED_TABLE = '42P01';
/** Number of versions that may be deleted one after the other while one read finds them. */
const MAX_ATTEMPTS = 3;

/**
 * Answer of the copy for one establishment: its record, null for a CNPJ that the registry does not have, or a failure. `partnersMayLack` is set
 * if lines of partners were lost whose companies are not known, so that a partner of any company may be missing.
 */
export type CopyAnswer = (Found<ReceitaCompany | null> & { readonly partnersMayLack?: true }) | AppError;

/** The own copy of the registry. */
export interface ReceitaCopy extends CopyHistory {
  /** Returns the id of the version that answers, as last read; null if none is loaded. */
  version(): string | null;
  /**
   * Returns a text that changes with the version that answers and with each erasure, as last read, by which answers are cached. Before it
   * was read the text is that of this process alone; it is null if no version is loaded.
   */
  cacheVersion(): string | null;
  /** Returns why the copy does not answer, as last read; null if it does, and before it was read. */
  problem(): 'missing' | 'overdue' | null;
  /** Reads the version that answers. */
  refresh(): Promise<void>;
  health(): Promise<CopyHealth>;
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
 * @param reads reads of a replica; undefined without one. The primary selects the version that answers
 */
export function createReceitaCopy(db: () => Knex, origin: string, now: Clock, reads?: CopyReads): ReceitaCopy {
  const findCompanies = companyFinder();
  let known: AnsweringVersion | null | undefined;
  const unreadVersion = `unread ${randomUUID()}`;
  let reading: Promise<AnsweringVersion | null> = Promise.resolve(null);
  let readAt = Number.NEGATIVE_INFINITY;
  let lookedAt = Number.NEGATIVE_INFINITY;

  const isDue = (since: number): boolean => now() - since >= POINTER_TTL_MS || now() < since;

  async function answering(): Promise<AnsweringVersion | null> {
    // While there is none, it is read for every batch, so that the first import answers at once.
    if (known === null || isDue(readAt)) {
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

  /**
   * Lets a later call see a switch. Every request that is answered from memory calls it, so it reads once in the time of the pointer, also
   * while there is no version and while the database is away.
   */
  function lookForSwitch(): void {
    if (!isDue(readAt) || !isDue(lookedAt)) return;
    lookedAt = now();
    answering().catch(() => undefined);
  }

  /**
   * Runs `work` on a database that has all rows of the version that answers, or with null if no version was loaded. It runs again if an
   * import has deleted that version meanwhile, which was no longer the current one.
   */
  async function withVersion<T>(work: (from: Knex, version: AnsweringVersion | null) => Promise<T>, attempt = 1): Promise<T> {
    const version = await answering();
    if (version === null) return work(db(), null);
    const found = await (reads ?? readsOf(db())).read(
      (from) => whereLoaded(from, version, reads !== undefined, () => work(from, version)),
      (result) => result !== null,
    );
    if (found) return found.value;
    if (attempt === MAX_ATTEMPTS) throw new Error('the version of the copy was deleted while it was read');
    readAt = Number.NEGATIVE_INFINITY;
    return withVersion(work, attempt + 1);
  }

  /** @param missing returns the result while no version can answer; it may throw */
  const inVersion = <T>(work: (from: Knex, version: AnsweringVersion) => Promise<T>, missing: (failure: AppError) => T): Promise<T> =>
    withVersion(async (from, version) => {
      const failure = failureOf(version, now());
      return failure || version === null ? missing(failure ?? NOT_LOADED) : work(from, version);
    });

  return {
    version() {
      lookForSwitch();
      return known?.id ?? null;
    },
    cacheVersion() {
      lookForSwitch();
      return known === undefined ? unreadVersion : known && `${known.id}.${known.erasures}`;
    },
    problem() {
      lookForSwitch();
      if (known === undefined) return null;
      return known === null ? 'missing' : now() >= goodUntil(known) ? 'overdue' : null;
    },
    async refresh() {
      await answering();
    },
    health: async () => readHealth(db(), origin),
    find(given) {
      const cnpjs = [...new Set(given)];
      return inVersion<ReadonlyMap<string, CopyAnswer>>(
        async (from, version) => new Map((await findCompanies(from, version.id, cnpjs)).map((row) => [row.cnpj, answerOf(row, version)])),
        (failure) => new Map(cnpjs.map((cnpj) => [cnpj, failure])),
      );
    },
    async read(work) {
      try {
        return await inVersion(
          async (from, version) => ({ value: await work(from, version), ...factsOf(version) }),
          (failure) => {
            throw failure;
          },
        );
      } catch (error) {
        throw failureOfRead('receita_federal', error as Error);
      }
    },
    ...createCopyHistory(withVersion, findCompanies),
  };
}

/**
 * Runs `work` if the database has the version. Returns null if it does not, as a replica that lags behind, or a primary on which the version
 * was deleted meanwhile. The tables of a replica may have a part of their rows until it has the end of the import, or rows that were erased.
 */
async function whereLoaded<T>(
  db: Knex,
  version: AnsweringVersion,
  isReplicated: boolean,
  work: () => Promise<T>,
): Promise<{ readonly value: T } | null> {
  try {
    if (isReplicated && !(await hasVersion(db, version))) return null;
    return { value: await work() };
  } catch (error) {
    if ((error as { code?: unknown }).code === UNDEFINED_TABLE) return null;
    throw error;
  }
}

const NOT_LOADED = sourceUnavailable('receita_federal', 'the copy was never loaded');

const factsOf = (version: AnsweringVersion): Omit<Found<never>, 'value'> => ({
  dataAsOf: version.extractedOn,
  fetchedAt: version.loadedAt,
  goodUntil: goodUntil(version),
});

const failureOf = (version: AnsweringVersion | null, now: number): AppError | null =>
  version === null ? NOT_LOADED : now >= goodUntil(version) ? sourceUnavailable('receita_federal', 'the copy is overdue') : null;

/** Failure for a company that an operator has erased from the copy. No other source may be called for it. */
export const SUPPRESSED = sourceUnavailable('receita_federal', 'the operator has suppressed this company');

function answerOf(row: StoredCompany, version: AnsweringVersion): CopyAnswer {
  if (row.isSuppressed) return SUPPRESSED;
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
  return { value: withoutLostPartners(value, version), ...(version.hasLostPartners && { partnersMayLack: true }), ...facts };
}
