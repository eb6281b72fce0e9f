import { type Clock, MINUTE_MS } from '../domain/time.ts';
import { runInContext } from './http/call-context.ts';
import type { GetOptions } from './http/client.ts';
import type { HttpAnswer } from './http/failure.ts';
import type { LiveApi } from './live-source.ts';

/** Address at which an API states the date of its data. */
interface DataDatePage {
  readonly api: LiveApi;
  readonly path: string;
  readonly deadlineMs: number;
  readonly headers?: NonNullable<GetOptions<unknown>['headers']>;
  readonly read: (answer: HttpAnswer) => string | null;
}

const TTL_MS = 30 * MINUTE_MS;

/**
 * Creates the reader of the date of an API's data. It reads the date at most every 30 minutes, after an answer of the API. Only the first
 * answers wait for it. While it is read again or cannot be read, the last known date is used, because the data are at least as new.
 */
export function createDataDate({ api, path, read: readDate, ...options }: DataDatePage, now: Clock): () => Promise<string | null> {
  let known: string | null = null;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  const read = async () => {
    const date = await api.get(path, { ...options, read: readDate });
    known = date ?? known;
  };
  return async () => {
    if (now() - readAt >= TTL_MS) {
      readAt = now();
      reading = runInContext({}, read).catch(() => undefined); // later answers use it, so it is not cancelled with the caller
    }
    if (known === null) await reading;
    return known;
  };
}
