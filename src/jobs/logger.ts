import { Logger } from 'graphile-worker';
import type { Logger as Pino } from 'pino';

/** Discards all messages; for the queue's migrations at startup. */
export const quietLogger = new Logger(() => () => undefined);

const LEVELS = { error: 'error', warning: 'warn', info: 'debug', debug: 'debug' } as const;

/** Forwards the queue's messages to our log, without the payloads. */
export const loggerTo = (log: Pino): Logger => new Logger(() => (level, message) => log[LEVELS[level]]({ component: 'jobs' }, message));
