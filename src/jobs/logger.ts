import { Logger } from 'graphile-worker';
import type { Logger as Pino } from 'pino';

/** For what happens once and says nothing new. */
export const quietLogger = new Logger(() => () => undefined);

const LEVELS = { error: 'error', warning: 'warn', info: 'debug', debug: 'debug' } as const;

/** The queue's words in our log, without the payloads that come with them. */
export const loggerTo = (log: Pino): Logger => new Logger(() => (level, message) => log[LEVELS[level]]({ component: 'jobs' }, message));
