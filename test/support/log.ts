import pino from 'pino';
import { logScope } from '../../src/server/telemetry/request-scope.ts';

/** A log that keeps what it is told, and says nothing. */
export function quietLog() {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ base: null, mixin: logScope }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { log, lines };
}
