import type { Knex } from 'knex';
import { drawPositions } from './log-head.ts';

interface Identified {
  readonly id: string;
}

/** States of a delivery that is not settled. */
const WAITING = ['pending', 'sending'] as const;

/** Gives up what waits for a monitor that was cancelled or disabled. What is being sent to it right now is left to its end. */
export async function dropWaiting(trx: Knex, monitorId: string, now: number): Promise<void> {
  const rows = await trx('deliveries').where({ monitor_id: monitorId, state: 'pending' }).orderBy('revision').forUpdate().select('id');
  await drop(trx, rows, now);
}

/** The same in one lane, which is held, for all monitors there that are sent nothing any more. */
export async function dropEnded(trx: Knex, { host, lane }: { readonly host: string; readonly lane: number }, now: number): Promise<void> {
  const { rows } = await trx.raw(
    `SELECT d.id FROM deliveries d LEFT JOIN monitors m ON m.id = d.monitor_id
     WHERE d.host = ? AND d.lane = ? AND d.state IN ('pending', 'sending')
       AND (m.id IS NULL OR m.cancelled_at IS NOT NULL OR m.disabled_at IS NOT NULL)
     ORDER BY d.revision FOR UPDATE OF d`,
    [host, lane],
  );
  await drop(trx, rows, now);
}

const drop = (trx: Knex, rows: readonly Identified[], now: number): Promise<void> =>
  renew(trx, rows, { state: 'dropped', due_at: null, settled_at: new Date(now) });

/** Settled deliveries → those that wait to be sent again, at once and in the order given. Their lanes are the caller's to open, first. */
export async function requeueDeliveries(trx: Knex, ids: readonly string[], now: number): Promise<number> {
  const settled = await trx('deliveries')
    .whereRaw('id = ANY (?)', [[...ids]])
    .whereNotIn('state', WAITING)
    .orderBy('revision')
    .forUpdate()
    .select('id');
  const among = new Set(settled.map(({ id }) => id));
  const again = ids.filter((id) => among.has(id)).map((id) => ({ id }));
  await renew(trx, again, { state: 'pending', due_at: new Date(now), settled_at: null });
  return again.length;
}

/** Writes the same to locked rows, each with a revision of its own, in their order. */
async function renew(
  trx: Knex,
  rows: readonly Identified[],
  to: { readonly state: string; readonly due_at: Date | null; readonly settled_at: Date | null },
): Promise<void> {
  if (rows.length === 0) return;
  const first = await drawPositions(trx, 'deliveries', rows.length);
  await trx.raw(
    `UPDATE deliveries SET state = ?, due_at = ?, settled_at = ?, claim = NULL, revision = ? + place.n - 1
     FROM unnest(?::uuid[]) WITH ORDINALITY AS place (id, n) WHERE deliveries.id = place.id`,
    [to.state, to.due_at, to.settled_at, first, rows.map(({ id }) => id)],
  );
}
