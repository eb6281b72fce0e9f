import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { withConnection } from './knex.ts';

/** Between two attempts to listen again. */
const RECONNECT_MS = 500;
/** A silent connection is asked whether it lives. */
const ALIVE_MS = 10_000;

export interface Listening {
  /** Settles when the connection is given up. */
  stop(): Promise<void>;
}

/**
 * Listens on a channel over a connection of its own, opened again whenever it is lost. `heard` is called for each notification and
 * after each (re)connection, since what was said meanwhile is lost: a notification only says that there may be something to read.
 */
export function listen(db: Knex, channel: string, { heard, log }: { readonly heard: () => void; readonly log: Logger }): Listening {
  const abort = new AbortController();
  const { signal } = abort;

  const once = () =>
    withConnection(
      db,
      async (client) => {
        const lost = new AbortController();
        client.on('error', (error) => lost.abort(error)).on('end', () => lost.abort(new Error('the connection ended')));
        const over = AbortSignal.any([signal, lost.signal]);
        client.on('notification', heard);
        await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
        heard();
        while (!signal.aborted) {
          await sleep(ALIVE_MS, undefined, { signal: over }).catch(() => over.throwIfAborted());
          await client.query('SELECT 1'); // fails when the connection ends, too
        }
      },
      { statementTimeoutMs: 5_000 },
    );

  const work = (async () => {
    while (!signal.aborted) {
      await once().catch((error: Error) => {
        if (!signal.aborted) log.warn({ channel, why: error.message }, 'listening was cut off');
      });
      await sleep(RECONNECT_MS, undefined, { signal }).catch(() => undefined);
    }
  })();
  return {
    async stop() {
      abort.abort();
      await work;
    },
  };
}
