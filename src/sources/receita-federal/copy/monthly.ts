import type { Logger } from 'pino';
import { DAY_MS } from '../../../domain/time.ts';
import type { Copy, SourceStatus, SyncResult } from '../../source.ts';
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
  readonly log: Pick<Logger, 'info' | 'warn' | 'error'>;
}

/**
 * Creates the import of the newest month as the sync of a copy: the share is listed daily, and a month that is not loaded is downloaded and
 * loaded. A version to which an operator has rolled back stays until the share lists other files.
 */
export function createMonthlyImport({ copy, status, log, ...parts }: MonthlyParts): Copy {
  return {
    name: 'receita_federal',
    everyMs: LOOK_EVERY_MS,
    version: () => copy.version(),
    refresh: () => copy.refresh(),
    status,
    async sync({ signal, force = false, onProgress = () => undefined } = {}): Promise<SyncResult> {
      try {
        const given = { ...parts, log, month: null, onProgress, ...(signal && { signal }) };
        const { outcome, extractedOn, loaded } = await importMonth(given, { force, afterRollback: false });
        log.info({ copy: 'receita_federal', outcome, extractedOn }, 'the copy of the Brazilian registry is up to date');
        if (loaded) return { outcome: 'loaded', version: listOf(loaded, null) };
        const { version, checkedAt } = await copy.health();
        if (!version) throw new Error('the version that answers was deleted during its import');
        return { outcome: 'unchanged', version: listOf(version, checkedAt) };
      } catch (error) {
        if (signal?.aborted) return { outcome: 'refused', reason: 'stopped' };
        if (!(error instanceof ImportRefusal)) throw error;
        const { reason, message, retryAfterMs } = error;
        if (reason === 'busy') return { outcome: 'busy' };
        log.warn({ copy: 'receita_federal', reason, why: message }, 'the month of the Brazilian registry was not loaded');
        return { outcome: 'refused', reason, why: message, ...(retryAfterMs !== null && { retryAfterMs }) };
      }
    },
  };
}
