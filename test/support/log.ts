import pino from 'pino';
import { logScope } from '../../src/server/telemetry/request-scope.ts';
import { parseLogLine } from './strict-json.ts';

/**
 * A logger that keeps its lines in memory and prints nothing. A line that is not a JSON object, or has a key twice, is an uncaught error,
 * so that the run fails.
 */
export function memoryLog() {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ base: null, mixin: logScope }, { write: (line: string) => void lines.push(read(line)) });
  return { log, lines };
}

function read(line: string): Record<string, unknown> {
  try {
    return parseLogLine(line);
  } catch (error) {
    setImmediate(() => {
      throw error; // it is thrown later, because the code that logs might catch it here
    });
    return JSON.parse(line);
  }
}
