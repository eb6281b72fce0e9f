import pino, { type DestinationStream, type Logger } from 'pino';
import type { Config } from '../config.ts';
import { logScope } from '../server/telemetry/request-scope.ts';

const STDERR = 2; // stdout is used for the output of commands

/**
 * Number of bytes, and of milliseconds, after which lines are written together, because a write for each line took a tenth of a request's
 * time. A killed process loses the unwritten lines.
 */
const WRITE_BYTES = 4_096;
const WRITE_INTERVAL_MS = 100;

const jsonLines = (): DestinationStream =>
  pino.destination({ dest: STDERR, sync: false, minLength: WRITE_BYTES, periodicFlush: WRITE_INTERVAL_MS });

/**
 * Creates a log of JSON lines on stderr, or to `destination`. It redacts secrets, and adds the id of the request. By default a terminal
 * shows warnings only, because a line for each list and request would hide the link that the start prints.
 */
export function createLog({ logLevel }: Pick<Config, 'logLevel'>, destination = jsonLines(), isTerminal = process.stderr.isTTY): Logger {
  const level = logLevel ?? (isTerminal ? 'warn' : 'info');
  return pino({ level, base: null, mixin: logScope, redact: ['req.headers["x-api-key"]', '*.url', '*.key'] }, destination);
}

/**
 * Creates the destination of the server's log: text for people (time, level, message, fields) with `LOG_FORMAT=text` and on a terminal,
 * otherwise JSON lines. The package that formats the text is loaded only then.
 */
export async function logDestination(
  { logFormat }: Pick<Config, 'logFormat'>,
  isTerminal = process.stderr.isTTY,
): Promise<DestinationStream> {
  if (logFormat === 'json' || (logFormat === 'auto' && !isTerminal)) return jsonLines();
  const { default: pretty } = await import('pino-pretty');
  return pretty({ destination: STDERR, colorize: isTerminal, translateTime: 'SYS:HH:MM:ss', singleLine: true, ignore: 'pid,hostname' });
}
