import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { type Clock, MINUTE_MS, SECOND_MS } from '../domain/time.ts';

/** Between two statements; what is noted reaches the table this late at most. */
const FLUSH_MS = 10 * SECOND_MS;

/** When keys were last used, to the minute. Noting is a matter of memory; the table is written behind it. */
export interface LastUse {
  note(keyId: string): void;
  /** Writes what was noted and not yet written. @throws Error when the database fails: it is written the next time */
  flush(): Promise<void>;
  /** Flushes for the last time. */
  close(): Promise<void>;
}

export interface LastUseDeps {
  readonly db: Knex;
  readonly now: Clock;
  readonly log: Logger;
}

/** The stored minute only ever grows, so a key is written once a minute however many processes it is used in. */
export function createLastUse({ db, now, log }: LastUseDeps): LastUse {
  /** Key → minute, as noted last; those of minutes that are over are forgotten once written. */
  let noted = new Map<string, number>();
  let unwritten = new Set<string>();

  async function flush(): Promise<void> {
    if (unwritten.size === 0) return;
    const ids = [...unwritten];
    unwritten = new Set();
    const minutes = ids.map((id) => new Date(noted.get(id) ?? 0));
    try {
      await db.raw(WRITE, [ids, minutes]);
    } catch (error) {
      for (const id of ids) unwritten.add(id);
      throw error;
    }
    const current = startOfMinute(now());
    noted = new Map([...noted].filter(([id, minute]) => minute === current || unwritten.has(id)));
  }

  const report = (error: Error): void => log.warn({ why: error.message }, 'the last use of keys could not be written');
  const timer = setInterval(() => void flush().catch(report), FLUSH_MS).unref();

  return {
    note(keyId) {
      const minute = startOfMinute(now());
      if (noted.get(keyId) === minute) return;
      noted.set(keyId, minute);
      unwritten.add(keyId);
    },
    flush,
    async close() {
      clearInterval(timer);
      await flush().catch(report);
    },
  };
}

const startOfMinute = (ms: number): number => ms - (ms % MINUTE_MS);

/** Rows are locked in order: two processes that write the same keys do not wait for each other in a circle. */
const WRITE = `
  WITH used AS (
    SELECT k.id, u.minute FROM unnest(?::uuid[], ?::timestamptz[]) AS u (id, minute) JOIN api_keys k ON k.id = u.id
    WHERE k.last_used_at IS NULL OR k.last_used_at < u.minute ORDER BY k.id FOR NO KEY UPDATE OF k
  )
  UPDATE api_keys k SET last_used_at = used.minute FROM used WHERE k.id = used.id`;
