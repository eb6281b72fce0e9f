import type { Snapshot } from '../domain/change.ts';
import { joinedOwners } from '../domain/record.ts';
import { summarised } from '../loaders/summarised-owners.ts';

/**
 * Returns an observation from which no departure of a partner follows if partners may be missing in it (`mayLack`): it has the partners of the
 * snapshot, too. If nobody joined, it tells nothing about the partners. The partners of a first observation are as they were observed.
 */
export function withoutDoubtfulDepartures(before: Snapshot | null, { owners: observed, ...others }: Snapshot): Snapshot {
  if (observed === undefined) return others;
  const { mayLack, ...owners } = observed;
  if (!mayLack || !before?.owners) return { ...others, owners };
  const joined = joinedOwners(before.owners, owners);
  return joined ? { ...others, owners: summarised(joined) } : others;
}
