import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { type Clock, MINUTE_MS, SECOND_MS } from '../domain/time.ts';
import { writeLastUse } from './store/keys.ts';

/** Interval between two writes. A recorded use reaches the table after this time at most. */
const FLUSH_MS = 10 * SECOND_MS;

/** Records when keys were last used, to the minute. Recording changes memory only; a timer writes to the table. */
export interface LastUse {
  record(keyId: string): void;
  /** Writes the uses since the last flush, in one statement. @throws Error when the database fails; the next flush retries */
  flush(): Promise<void>;
  /** Stops the timer and flushes a last time. */
  close(): Promise<void>;
}

export interface LastUseDeps {
  readonly db: Knex;
  readonly now: Clock;
  readonly log: Logger;
}

/** Creates the recorder. The stored minute never decreases. A key is written once a minute, however many processes use it. */
export function createLastUse({ db, now, log }: LastUseDeps): LastUse {
  /** Key id → minute of its last recorded use. Ended minutes are removed once they are written. */
  let recorded = new Map<string, number>();
  let unwritten = new Set<string>();

  async function flush(): Promise<void> {
    if (unwritten.size === 0) return;
    const ids = [...unwritten];
    unwritten = new Set();
    try {
      await writeLastUse(db, new Map(ids.map((id) => [id, recorded.get(id) ?? 0])));
    } catch (error) {
      for (const id of ids) unwritten.add(id);
      throw error;
    }
    const current = startOfMinute(now());
    recorded = new Map([...recorded].filter(([id, minute]) => minute === current || unwritten.has(id)));
  }

  const logFailure = (error: Error): void => log.warn({ why: error.message }, 'the last use of keys could not be written');
  const timer = setInterval(() => void flush().catch(logFailure), FLUSH_MS).unref();

  return {
    record(keyId) {
      const minute = startOfMinute(now());
      if (recorded.get(keyId) === minute) return;
      recorded.set(keyId, minute);
      unwritten.add(keyId);
    },
    flush,
    async close() {
      clearInterval(timer);
      await flush().catch(logFailure);
    },
  };
}

const startOfMinute = (ms: number): number => ms - (ms % MINUTE_MS);
