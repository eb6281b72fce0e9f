import type { Knex } from 'knex';

/** Streams whose rows have positions. */
export type Stream = 'changes' | 'deliveries';

/** What listeners are told through; the payload is the position, the rows are in the tables. */
export const channelOf = (stream: Stream): string => `quipu_${stream}`;

/**
 * Draws `count` positions, the first of which is returned, and tells listeners when the transaction commits. The row of the head
 * stays locked until then, so positions become visible in their order and a transaction rolled back leaves no gap. Draw them last:
 * whoever else writes to this stream waits.
 */
export async function drawPositions(trx: Knex, stream: Stream, count: number): Promise<number> {
  const { rows } = await trx.raw('UPDATE log_heads SET position = position + ? WHERE stream = ? RETURNING position', [count, stream]);
  const last = Number(rows[0].position);
  await trx.raw('SELECT pg_notify(?, ?)', [channelOf(stream), String(last)]);
  return last - count + 1;
}

/** Where a stream stands: its last position, and the first that is still kept. */
export async function readHead(db: Knex, stream: Stream): Promise<{ readonly position: number; readonly keptFrom: number }> {
  const { position, kept_from: keptFrom } = await db('log_heads').where({ stream }).first();
  return { position: Number(position), keptFrom: Number(keptFrom) };
}
