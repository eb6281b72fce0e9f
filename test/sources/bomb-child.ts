import pino from 'pino';
import { AppError } from '../../src/domain/errors.ts';
import { createHttpClient } from '../../src/sources/http/client.ts';

/**
 * Child process that requests the gzip bomb at `{url}/bomb`, so that only this request's memory is measured.
 * Argument: URL of an upstream that answers any other path with a small gzip. It prints as JSON the error's `code`, the client's
 * `lastError` and `grownBytes`: how far the resident memory rose during the request.
 */
const [url = ''] = process.argv.slice(2);
const http = createHttpClient({
  source: 'receita_federal',
  concurrency: 16,
  now: Date.now,
  random: () => 0,
  log: pino({ level: 'silent' }),
});
const get = (path: string) => http.get(new URL(url + path), { deadlineMs: 6_000, read: ({ text }) => text.length });

// A first request loads all code before the memory is measured.
for (let i = 0; i < 20; i += 1) await get('/small');

const before = process.memoryUsage.rss();
let peak = before;
const sample = () => {
  peak = Math.max(peak, process.memoryUsage.rss());
};
const timer = setInterval(sample, 1);
const error: unknown = await get('/bomb').catch((cause: unknown) => cause);
sample();
// Waits, so that unpacking that continued after the refusal would be measured too.
await new Promise((resolve) => setTimeout(resolve, 500));
clearInterval(timer);

const code = error instanceof AppError ? error.code : null;
process.stdout.write(JSON.stringify({ code, lastError: http.health().lastError, grownBytes: peak - before }));
await http.close();
