import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';

export interface CopyTarget {
  readonly table: string;
  readonly columns: readonly string[];
  /** True to freeze the rows, which then never need a vacuum. The same transaction must have created or emptied the table. Default false. */
  readonly freeze?: boolean;
}

/**
 * Sends encoded rows to Postgres by `COPY … FROM STDIN`. It asks for the next chunk when Postgres has taken the one before, and closes
 * `chunks` at the end, whatever happens. Returns the value that `chunks` returns.
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
    end.returned = { value: yield* chunks };
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
