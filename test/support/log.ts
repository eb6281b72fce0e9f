import pino from 'pino';

/** A log that keeps what it is told, and says nothing. */
export function quietLog() {
  const lines: Record<string, unknown>[] = [];
  const log = pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { log, lines };
}
