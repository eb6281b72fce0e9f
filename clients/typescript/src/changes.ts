import { print } from 'graphql';
import { QuipuError } from './error.ts';
import { overEventStream } from './event-stream.ts';
import { ChangeFeedDocument, type ChangeFeedSubscription, type ChangeFeedSubscriptionVariables } from './generated/graphql.ts';
import type { ClientOptions } from './http.ts';
import { overSocket } from './socket.ts';
import { endless, reconnecting } from './subscription.ts';

/** A change of a watched company. */
export type Change = ChangeFeedSubscription['companyChanged'];

export interface ChangeOptions {
  /** Cursor of the last processed change; undefined or null for changes from now on. */
  readonly after?: string | null | undefined;
  /**
   * Stores the cursor where it outlives the process. It is called with the start, and after each change when the next one is requested;
   * after a crash in between, that change is sent again. An error that it throws ends the subscription.
   */
  readonly saveCursor?: (cursor: string) => void | Promise<void>;
  /** Restricts to changes of these monitors. */
  readonly monitorIds?: string[];
  /** Restricts to changes of the companies with these tax ids. */
  readonly identifiers?: string[];
  /** Ends the subscription, which then throws the reason of the signal. */
  readonly signal?: AbortSignal;
  /** Called with the reason of each lost connection, before the next attempt. */
  readonly onRetry?: (error: QuipuError) => void;
  /** Delay of the first new attempt, in ms; default 1,000. It doubles up to 30 s while connections fail sooner than that, with jitter. */
  readonly retryMs?: number;
  /** Time in ms without any message after which a connection counts as lost; default 30,000. */
  readonly silenceMs?: number;
}

const TEXT = print(ChangeFeedDocument);

/**
 * Yields every change after a cursor once, and connects again at the last cursor.
 * @throws QuipuError that is not retryable, such as a refused key or CURSOR_TOO_OLD, and if the start cannot be read
 */
export async function* subscribeToChanges(client: ClientOptions, options: ChangeOptions): AsyncGenerator<Change, void, undefined> {
  const { monitorIds, identifiers, saveCursor } = options;
  if (!client.webSocket && typeof WebSocket === 'undefined')
    throw new TypeError('This platform has no WebSocket: createClient({ …, webSocket }) takes that of the package ws.');
  let after = options.after ?? null;
  if (after === null) {
    after = await startCursor(client, options);
    await saveCursor?.(after);
  }
  const connect = () => {
    const variables: ChangeFeedSubscriptionVariables = { after, ...(monitorIds && { monitorIds }), ...(identifiers && { identifiers }) };
    return endless(overSocket<ChangeFeedSubscription>(client, { query: TEXT, variables }, options));
  };
  for await (const { data } of reconnecting(connect, options)) {
    if (!data) continue;
    yield data.companyChanged;
    after = data.companyChanged.cursor;
    await saveCursor?.(after);
  }
}

/** Returns the current position, which the service sends as the first `id` of an event stream. @throws QuipuError */
async function startCursor(client: ClientOptions, options: ChangeOptions): Promise<string> {
  for await (const { id } of overEventStream(client, { query: TEXT }, options)) if (id !== undefined) return id;
  throw new QuipuError('NETWORK', 'The connection ended before the subscription began.');
}
