import { QuipuError } from '../../clients/typescript/src/error.ts';
import { overSocketOrStream } from '../../clients/typescript/src/socket.ts';
import {
  type ConnectOptions,
  endless,
  type RetryOptions,
  reconnecting,
  type SubscriptionEvent,
  type Transport,
} from '../../clients/typescript/src/subscription.ts';
import { type Answer, type Client, problemOf, requireData } from './client.ts';
import { type ChangeRow, ChangesAfter, ChangesLeft, CompanyChanged, type Operation } from './operations.ts';

export type FollowState =
  | { readonly phase: 'connecting' }
  /** The page reads the changes that it missed. `left` changes remain, of which 10,000 are counted at most. */
  | { readonly phase: 'catching-up'; readonly left: number }
  | { readonly phase: 'live'; readonly transport: Transport }
  /** The page connects again at `retryAt` (epoch ms). */
  | { readonly phase: 'offline'; readonly retryAt: number }
  /** The server refused the subscription with an error that is not retryable, so the page connects no more. */
  | { readonly phase: 'refused'; readonly error: QuipuError };

export interface FollowOptions {
  readonly client: Client;
  /** Cursor of the last known change. */
  readonly after: string;
  readonly onChanges: (changes: readonly ChangeRow[]) => void;
  readonly onState: (state: FollowState) => void;
  /** Called when the server shows that the connection lives. */
  readonly onHeartbeat: () => void;
  /** Called when changes after the cursor are no longer kept. The page then continues with a gap. */
  readonly onGap: () => void;
}

const PAGE = 100;
/** Pauses before the next attempt to connect. */
const RETRY = { retryMs: 500, maxRetryMs: 10_000 };

/** A subscription of a page. */
export interface Subscription<Data, Variables> {
  readonly client: Client;
  readonly operation: Operation<Data, Variables>;
  readonly variables: Variables;
}

const connect = <Data, Variables>(
  { client, operation, variables }: Subscription<Data, Variables>,
  options: ConnectOptions,
): AsyncGenerator<SubscriptionEvent<Data>, void, undefined> =>
  overSocketOrStream<Data>(client.options, { query: operation.text, variables: variables as Readonly<Record<string, unknown>> }, options);

/**
 * Yields the events of a subscription, and connects again after each lost connection.
 * @throws QuipuError that is not retryable; the reason of the signal
 */
export const eventsOf = <Data, Variables>(
  subscription: Subscription<Data, Variables>,
  options: ConnectOptions & RetryOptions,
): AsyncGenerator<SubscriptionEvent<Data>, void, undefined> =>
  reconnecting(() => endless(connect(subscription, options)), { ...RETRY, ...options });

interface ChangePage {
  readonly changes: readonly ChangeRow[];
  /** Number of changes after this page; 0 for the last page. */
  readonly left: number;
}

/** Reads the changes after a cursor, oldest first. @throws QuipuError, such as CURSOR_TOO_OLD */
export async function* changesAfter(client: Client, after: string, signal: AbortSignal): AsyncGenerator<ChangePage> {
  let left = 0;
  for (let cursor: string | null = after; cursor !== null; ) {
    const { data, errors }: Answer<ChangesAfter> = await client.ask(ChangesAfter, { after: cursor, first: PAGE }, signal);
    const { nodes, pageInfo }: NonNullable<ChangesAfter['changes']> = requireData({ data: data?.changes ?? null, errors });
    cursor = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    left = Math.max(left - nodes.length, 0);
    // The rest is counted again if more changes came, or if more were left than the server counts.
    if (cursor !== null && left === 0) left = (await client.ask(ChangesLeft, { after: cursor }, signal)).data?.changesLeft ?? 0;
    yield { changes: nodes, left: cursor === null ? 0 : left };
  }
}

/**
 * Follows the changes of a key without a gap: reads the missed changes by query, then subscribes after the last cursor, and starts again
 * there when the connection ends. A WebSocket that does not open is replaced by an event stream. Each later attempt tries the socket first.
 * @returns a function that ends it
 */
export function followChanges({ client, after, onChanges, onState, onHeartbeat, onGap }: FollowOptions): () => void {
  const ended = new AbortController();
  const { signal } = ended;
  let cursor = after;

  const take = (changes: readonly ChangeRow[]): void => {
    const last = changes.at(-1);
    if (!last) return;
    cursor = last.cursor;
    onChanges(changes);
  };

  async function catchUp(): Promise<void> {
    for await (const { changes, left } of changesAfter(client, cursor, signal)) {
      take(changes);
      if (left > 0) onState({ phase: 'catching-up', left });
    }
  }

  async function* attempt(): AsyncGenerator<SubscriptionEvent<CompanyChanged>, void, undefined> {
    try {
      await catchUp();
      const onOpen = (transport: Transport): void => onState({ phase: 'live', transport });
      const subscription = { client, operation: CompanyChanged, variables: { after: cursor } };
      yield* connect(subscription, { signal, onOpen, onMessage: onHeartbeat });
    } catch (error) {
      if (!(error instanceof QuipuError && error.code === 'CURSOR_TOO_OLD' && error.details.cursor)) throw error;
      cursor = error.details.cursor;
      onGap();
      yield* attempt();
    }
  }

  async function follow(): Promise<void> {
    const onRetry = (_: QuipuError, delayMs: number): void => onState({ phase: 'offline', retryAt: Date.now() + delayMs });
    for await (const { data } of reconnecting(() => endless(attempt()), { ...RETRY, signal, onRetry }))
      if (data) take([data.companyChanged]);
  }

  onState({ phase: 'connecting' });
  follow().catch((error: unknown) => {
    if (!signal.aborted) onState({ phase: 'refused', error: problemOf(error) });
  });
  return () => ended.abort();
}
