import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { nextSlice } from '../scheduling/slices.ts';

export interface CopyTarget {
  readonly table: string;
  readonly columns: readonly string[];
  /** True to freeze the rows, which then never need a vacuum. The same transaction must have created or emptied the table. Default false. */
  readonly freeze?: boolean;
}

/**
 * Sends encoded rows to Postgres by `COPY … FROM STDIN`. It asks for the next chunk when Postgres has taken the one before, in a slice of
 * its own: a connection that always takes a chunk at once would otherwise never let the event loop serve sockets, and the error of Postgres
 * would not be read. It closes `chunks` at the end, whatever happens. Returns the value that `chunks` returns.
 * @param format format of COPY in which the chunks are encoded
 * @throws whatever `chunks` throws, the reason of the abort, or the error of the database
 */
export async function copyStream<T>(
  client: pg.Client,
  { table, columns, freeze = false }: CopyTarget,
  format: 'text' | 'binary',
  chunks: AsyncGenerator<string | Buffer, T, void>,
  signal?: AbortSignal,
): Promise<T> {
  const sql = `COPY ${table} (${columns.join(', ')}) FROM STDIN WITH (FORMAT ${format}${freeze ? ', FREEZE' : ''})`;
  const end: { returned: { readonly value: T } | null } = { returned: null };
  async function* source(): AsyncGenerator<string | Buffer, void, void> {
    try {
      let step = await chunks.next();
      for (; !step.done; step = await chunks.next()) {
        yield step.value;
        await nextSlice();
      }
      end.returned = { value: step.value };
    } finally {
      await chunks.return(undefined as never); // closes its files if the COPY has failed
    }
  }
  try {
    await pipeline(source, client.query(copyFrom(sql)), { signal });
  } catch (error) {
    signal?.throwIfAborted(); // Postgres reports an abort as an error of its own
    throw error;
  }
  if (!end.returned) throw new Error('the COPY ended before its source');
  return end.returned.value;
}
