import type { Logger } from 'pino';
import { DAY_MS } from '../../../domain/time.ts';
import type { Copy, SourceStatus, SyncResult } from '../../source.ts';
import { listMonths } from './download.ts';
import { listOf } from './health.ts';
import { importMonth, type MonthImport } from './import-month.ts';
import type { ReceitaCopy } from './reader.ts';
import { ImportRefusal } from './refusal.ts';

/** Interval at which the share is asked for a month that is not loaded. The registry publishes on no fixed day. */
export const LOOK_EVERY_MS = DAY_MS;

/** Dependencies of the monthly import. */
export interface MonthlyParts extends Omit<MonthImport, 'month' | 'onProgress' | 'signal'> {
  readonly copy: ReceitaCopy;
  readonly status: () => Promise<SourceStatus>;
  /** True if the first import of all loads the month before the newest one, so that the second one has differences to report. */
  readonly olderFirst: boolean;
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/** The monthly import as a copy. */
export interface MonthlyImport extends Copy {
  /** True while the month before the newest one answers, and the newest one follows. */
  awaitsNewest(): boolean;
}

/**
 * Creates the import of the newest month as the sync of a copy: the share is listed daily, and a month that is not loaded is downloaded and
 * loaded. A version to which an operator has rolled back stays until the share lists other files. With `olderFirst`, the first import loads
 * the month before, and its result counts as incomplete, so that the newest month follows a minute later.
 */
export function createMonthlyImport({ copy, status, olderFirst, log, ...parts }: MonthlyParts): MonthlyImport {
  let awaitsNewest = false;

  /** Returns the month of the first import if it is not the newest one; null for the newest one. */
  async function firstMonth(signal: AbortSignal): Promise<string | null> {
    if (!olderFirst || (await copy.health()).version) return null;
    return (await listMonths({ ...parts, signal })).at(-2) ?? null;
  }

  return {
    awaitsNewest: () => awaitsNewest,
    name: 'receita_federal',
    everyMs: LOOK_EVERY_MS,
    version: () => copy.version(),
    refresh: () => copy.refresh(),
    status,
    async sync({ signal = new AbortController().signal, force = false, onProgress = () => undefined } = {}): Promise<SyncResult> {
      try {
        const month = await firstMonth(signal);
        const given = { ...parts, log, month, onProgress, signal };
        const { outcome, extractedOn, loaded } = await importMonth(given, { force, afterRollback: false });
        log.info({ copy: 'receita_federal', outcome, extractedOn }, 'the copy of the Brazilian registry is up to date');
        awaitsNewest = month !== null && loaded !== null; // another process may have loaded it first, and then the newest one
        await copy.refresh().catch(() => undefined); // a loaded version counts as loaded also if it cannot be read, and is read again soon
        if (loaded) return { outcome: 'loaded', version: listOf(loaded, null), ...(awaitsNewest && { isIncomplete: true }) };
        const { version, checkedAt } = await copy.health();
        if (!version) throw new Error('the version that answers was deleted during its import');
        return { outcome: 'unchanged', version: listOf(version, checkedAt) };
      } catch (error) {
        if (signal.aborted) return { outcome: 'refused', reason: 'stopped' };
        if (!(error instanceof ImportRefusal)) throw error;
        const { reason, message, retryAfterMs } = error;
        if (reason === 'busy') return { outcome: 'busy' };
        log.warn({ copy: 'receita_federal', reason, why: message }, 'the month of the Brazilian registry was not loaded');
        return { outcome: 'refused', reason, why: message, ...(retryAfterMs !== null && { retryAfterMs }) };
      }
    },
  };
}
