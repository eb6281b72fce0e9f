import { createHash } from 'node:crypto';
import { MAX_LISTED_OWNERS, ownerKey, type WatchedOwner, type WatchedOwners } from '../domain/record.ts';

/** Returns the partners of a company as a snapshot has them. */
export function summarised(owners: readonly WatchedOwner[]): WatchedOwners {
  const digest = createHash('sha256')
    .update(JSON.stringify(owners.map(ownerKey).sort()))
    .digest('hex');
  return { count: owners.length, digest, listed: owners.length <= MAX_LISTED_OWNERS ? owners : null };
}
