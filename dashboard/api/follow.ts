import { type Answer, ApiError, type Client, requireData } from './client.ts';
import { keepConnected, subscribeOnce, type Transport } from './connection.ts';
import { type ChangeRow, ChangesAfter, ChangesLeft, CompanyChanged } from './operations.ts';

export type FollowState =
  | { readonly phase: 'connecting' }
  /** Reads what was missed; `left` changes more, of which 10,000 are counted at most. */
  | { readonly phase: 'catching-up'; readonly left: number }
  | { readonly phase: 'live'; readonly transport: Transport }
  /** Tries again at `retryAt` (epoch ms). */
  | { readonly phase: 'offline'; readonly retryAt: number }
  /** The server refuses the subscription for a reason that does not pass: following has ended. */
  | { readonly phase: 'refused'; readonly error: ApiError };

export interface FollowOptions {
  readonly client: Client;
  /** Cursor of the last change that is known. */
  readonly after: string;
  readonly onChanges: (changes: readonly ChangeRow[]) => void;
  readonly onState: (state: FollowState) => void;
  /** Called when the server shows that the connection lives. */
  readonly onHeartbeat: () => void;
  /** Called when changes after the cursor are no longer kept: following goes on, with a gap. */
  readonly onGap: () => void;
}

const PAGE = 100;

interface ChangePage {
  readonly changes: readonly ChangeRow[];
  /** Changes after this page; 0 for the last one. */
  readonly left: number;
}

/** Reads the changes after a cursor, oldest first. @throws ApiError, such as CURSOR_TOO_OLD */
export async function* changesAfter(client: Client, after: string, signal: AbortSignal): AsyncGenerator<ChangePage> {
  let left = 0;
  for (let cursor: string | null = after; cursor !== null; ) {
    const { data, errors }: Answer<ChangesAfter> = await client.ask(ChangesAfter, { after: cursor, first: PAGE }, signal);
    const { nodes, pageInfo }: NonNullable<ChangesAfter['changes']> = requireData({ data: data?.changes ?? null, errors });
    cursor = pageInfo.hasNextPage ? pageInfo.endCursor : null;
    left = Math.max(left - nodes.length, 0);
    // Counted again where more came, or more were left than the server counts.
    if (cursor !== null && left === 0) left = (await client.ask(ChangesLeft, { after: cursor }, signal)).data?.changesLeft ?? 0;
    yield { changes: nodes, left: cursor === null ? 0 : left };
  }
}

/**
 * Follows the changes of a key without a gap: reads what was missed by query, then subscribes after the last cursor, and starts again
 * there when the connection ends. A WebSocket that does not open is replaced by an event stream; each later attempt tries the socket first.
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

  async function attempt(): Promise<void> {
    try {
      await catchUp();
      await subscribe();
    } catch (error) {
      if (!(error instanceof ApiError && error.code === 'CURSOR_TOO_OLD' && error.cursor)) throw error;
      cursor = error.cursor;
      onGap();
      await attempt();
    }
  }

  async function subscribe(): Promise<void> {
    await subscribeOnce(
      { client, operation: CompanyChanged, variables: { after: cursor }, signal },
      {
        onOpen: (transport) => onState({ phase: 'live', transport }),
        onData: ({ companyChanged }) => take([companyChanged]),
        onHeartbeat,
      },
    );
  }

  onState({ phase: 'connecting' });
  void keepConnected(attempt, {
    signal,
    onOffline: (retryAt) => onState({ phase: 'offline', retryAt }),
    onRefused: (error) => onState({ phase: 'refused', error }),
  });
  return () => ended.abort();
}
