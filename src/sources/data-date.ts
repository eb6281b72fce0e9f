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

/** The date of an API's data. */
export interface DataDate {
  /** ISO date; null if it is not known. */
  readonly date: string | null;
  /** True while the date is not known and was first tried to be read less than 30 minutes ago. It is tried again within a minute. */
  readonly isAwaited: boolean;
}

const TTL_MS = 30 * MINUTE_MS;
const RETRY_MS = MINUTE_MS;

/**
 * Creates the reader of the date of an API's data. It reads the date at most every 30 minutes, after an answer of the API, and every minute
 * while it is awaited. Only answers without a known date wait for it. While it is read again or cannot be read, the last known date is used,
 * because the data are at least as new.
 */
export function createDataDate({ api, path, read: readDate, ...options }: DataDatePage, now: Clock): () => Promise<DataDate> {
  let known: string | null = null;
  let triedSince: number | null = null;
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;
  const read = async () => {
    const date = await api.get(path, { ...options, read: readDate });
    known = date ?? known;
  };
  const isAwaited = () => known === null && triedSince !== null && now() - triedSince < TTL_MS;
  return async () => {
    triedSince ??= now();
    if (now() - readAt >= (isAwaited() ? RETRY_MS : TTL_MS)) {
      readAt = now();
      reading = runInContext({}, read).catch(() => undefined); // later answers use it, so it is not cancelled with the caller
    }
    if (known === null) await reading;
    return { date: known, isAwaited: isAwaited() };
  };
}
