import type { Knex } from 'knex';
import type { StreamHead } from '../domain/cursor.ts';

/** NOTIFY channel of the change log. The payload is the last position; the events are in the table. */
export const CHANNEL = 'quipu_changes';
const STREAM = 'changes';

/**
 * Allocates `count` positions, and notifies listeners when the transaction commits. The head's row stays locked until then, so
 * positions become visible in their order and a rollback leaves no gap. Allocate as the last step of a transaction: every other writer
 * of the stream waits.
 * @returns the first of the positions
 */
export async function allocatePositions(trx: Knex, count: number): Promise<number> {
  const { rows } = await trx.raw('UPDATE log_heads SET position = position + ? WHERE stream = ? RETURNING position', [count, STREAM]);
  const last = Number(rows[0].position);
  await trx.raw('SELECT pg_notify(?, ?)', [CHANNEL, String(last)]);
  return last - count + 1;
}

/** Reads the last position of the change log and the first that is still kept. */
export async function readStreamHead(db: Knex): Promise<StreamHead> {
  const { position, kept_from: keptFrom } = await db('log_heads').where({ stream: STREAM }).first();
  return { position: Number(position), keptFrom: Number(keptFrom) };
}
