import type { Found } from '../domain/answer.ts';
import { isoDate } from '../domain/time.ts';
import type { ListVersion } from '../sources/source.ts';

/**
 * Returns the facts of an answer of a copy. The date is that of the files, or the day of their load if the publisher states none.
 * @param answer.goodUntil epoch ms after which the data must not be used
 */
export const copyFacts = ({
  version,
  goodUntil,
}: {
  readonly version: ListVersion;
  readonly goodUntil: number;
}): Omit<Found<unknown>, 'value'> => ({
  dataAsOf: version.publishedOn ?? isoDate(version.loadedAt),
  fetchedAt: version.checkedAt,
  goodUntil,
});
