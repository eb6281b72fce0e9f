import pino from 'pino';
import { logScope } from '../../src/server/telemetry/request-scope.ts';

/** A logger that keeps its lines in memory and prints nothing. */
export function memoryLog() {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ base: null, mixin: logScope }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { log, lines };
}
