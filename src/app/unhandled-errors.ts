import type { Logger } from 'pino';
import type { Gauge } from '../db/gauges.ts';

/*
 * Decides what a server process does about errors that no code handles. Node ends a process for a rejected promise that nothing handles. Such a
 * promise is usually a part of one answer that nobody awaits any more, while the process serves other callers, so it is logged and counted
 * as a defect, and the process goes on. An exception that nothing catches may have left any work half done, so the process ends after it,
 * as Node does by default. The processes of tests end for both (`test/support/process.ts`), so that no test passes in spite of a defect.
 */

/** `code` in the log. They are stable, because operators and tests search for them. */
export const UNHANDLED_REJECTION = 'UNHANDLED_REJECTION';
export const UNCAUGHT_EXCEPTION = 'UNCAUGHT_EXCEPTION';

let rejections = 0;

/** Logs rejections that nothing handles, in place of the end of the process, and the exception that ends it. */
export function watchErrors(log: Logger): void {
  process.on('unhandledRejection', (err) => {
    rejections += 1;
    log.error({ code: UNHANDLED_REJECTION, err }, 'a rejection was not handled');
  });
  // A monitor does not change what happens after the exception: Node prints it and exits with 1.
  process.on('uncaughtExceptionMonitor', (err) => log.fatal({ code: UNCAUGHT_EXCEPTION, err }, 'an exception ends the process'));
}

/** Creates the gauge that counts the unhandled rejections of this process. */
export const errorGauges = (): readonly Gauge[] => [
  {
    name: 'quipu_unhandled_rejections',
    help: 'Rejections that no code of this process has handled since its start. Each is a defect, with a line in the log.',
    read: async () => [{ value: rejections }],
  },
];
