import type { Knex } from 'knex';
import type { Owned } from '../../db/paging.ts';
import type { Sealer } from '../../db/sealer.ts';
import { DAY_MS } from '../../domain/time.ts';
import { receiverHost } from '../domain/delivery.ts';
import { dropPending, moveToHost } from '../store/delivery-queue.ts';
import { closeEndpoint, replaceSecret } from '../store/endpoints.ts';
import { newSecret } from './webhook-request.ts';

/** Time for which each replaced secret stays valid. */
const OLD_SECRET_MS = DAY_MS;

/** A new secret for an endpoint. */
export interface Rotation {
  /** The secret, which cannot be read again. */
  readonly secret: string;
  /** Time until which the replaced secret signs, too, epoch ms. */
  readonly oldSecretValidUntil: number;
  /** @returns false when the key has no such open endpoint */
  store(trx: Knex, endpoint: Owned): Promise<boolean>;
}

export function newRotation(sealer: Sealer, now: number): Rotation {
  const secret = newSecret();
  const oldUntil = now + OLD_SECRET_MS;
  return {
    secret,
    oldSecretValidUntil: oldUntil,
    store: (trx, endpoint) => replaceSecret(trx, endpoint, { secret: sealer.seal(secret), oldUntil, now }),
  };
}

/** Moves the pending deliveries of an endpoint to its new URL, or drops them without one. */
export const redirectPending = (trx: Knex, id: string, url: string | null, now: number): Promise<void> =>
  url === null ? dropPending(trx, id, now) : moveToHost(trx, id, receiverHost(url), now);

/** Ends an endpoint, because its owner ended, and drops its pending deliveries. */
export async function endEndpoint(trx: Knex, id: string, now: number): Promise<void> {
  await closeEndpoint(trx, id, now);
  await dropPending(trx, id, now);
}
