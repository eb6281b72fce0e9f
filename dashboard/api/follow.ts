import { type ApiError, type Client, requireData } from './client.ts';
import { keepConnected, subscribeOnce, type Transport } from './connection.ts';
import { type ChangeRow, ChangesAfter, CompanyChanged } from './operations.ts';

export type FollowState =
  | { readonly phase: 'connecting' }
  /** Reads what was missed; `count` changes so far. */
  | { readonly phase: 'catching-up'; readonly count: number }
  | { readonly phase: 'live'; readonly transport: Transport }
  /** Tries again at `retryAt` (epoch ms). */
  | { readonly phase: 'offline'; readonly retryAt: number };

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
  /** Called when the key is not valid any more, or may not follow. Following has ended. */
  readonly onRefused: (error: ApiError) => void;
}

const PAGE = 100;

/**
 * Follows the changes of a key without a gap: reads what was missed by query, then subscribes after the last cursor, and starts again
 * there when the connection ends. A WebSocket that does not open is replaced by an event stream; each later attempt tries the socket first.
 * @returns a function that ends it
 */
export function followChanges({ client, after, onChanges, onState, onHeartbeat, onGap, onRefused }: FollowOptions): () => void {
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
    for (let count = 0; ; ) {
      const { data, errors } = await client.ask(ChangesAfter, { after: cursor, first: PAGE }, signal);
      const tooOld = errors.find(({ code }) => code === 'CURSOR_TOO_OLD');
      if (tooOld?.cursor) {
        cursor = tooOld.cursor;
        onGap();
        continue;
      }
      const page = requireData({ data: data?.changes ?? null, errors });
      count += page.nodes.length;
      if (count > 0) onState({ phase: 'catching-up', count });
      take(page.nodes);
      if (!page.pageInfo.hasNextPage) return;
    }
  }

  async function attempt(): Promise<void> {
    await catchUp();
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
  void keepConnected(attempt, { signal, onOffline: (retryAt) => onState({ phase: 'offline', retryAt }), onRefused });
  return () => ended.abort();
}
