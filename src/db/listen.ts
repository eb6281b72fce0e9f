import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import { withConnection } from './knex.ts';

/** Pause before a lost connection is opened again. */
const RECONNECT_MS = 500;
/** Interval of the statement that checks the connection. */
const ALIVE_MS = 10_000;

export interface Listening {
  /** Resolves when the connection is closed. */
  stop(): Promise<void>;
}

/**
 * Listens on a channel over a separate connection, which is opened again whenever it is lost. `onNotify` is called for each notification
 * and after each connect, because notifications in between are lost. A notification only means that there may be new rows.
 */
export function listen(db: Knex, channel: string, { onNotify, log }: { readonly onNotify: () => void; readonly log: Logger }): Listening {
  const abort = new AbortController();
  const { signal } = abort;

  const once = () =>
    withConnection(
      db,
      async (client) => {
        const lost = new AbortController();
        client.on('error', (error) => lost.abort(error)).on('end', () => lost.abort(new Error('the connection ended')));
        const over = AbortSignal.any([signal, lost.signal]);
        client.on('notification', onNotify);
        await client.query(`LISTEN ${client.escapeIdentifier(channel)}`);
        onNotify();
        while (!signal.aborted) {
          await sleep(ALIVE_MS, undefined, { signal: over }).catch(() => over.throwIfAborted());
          await client.query('SELECT 1'); // fails also when the connection ends
        }
      },
      { statementTimeoutMs: 5_000, isBackground: false }, // it is tried again at once, and a reader also polls
    );

  const work = (async () => {
    while (!signal.aborted) {
      await once().catch((error: Error) => {
        if (!signal.aborted) log.warn({ channel, why: error.message }, 'the connection that listens for notifications was lost');
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
