import type pg from 'pg';
import { type ComparedVersion, createComparisons, type KeptComparisons } from '../../../copies/store/comparisons.ts';
import { withShortLocks } from '../../../copies/store/short-locks.ts';
import type { ChangeField } from '../change-field.ts';
import { ImportRefusal } from '../refusal.ts';
import { DIFFERENCES } from './differences.ts';

/** Number of changes of a comparison, by field. */
export type ChangeCounts = Readonly<Partial<Record<ChangeField, number>>>;

/**
 * Runs `work`, which locks out the readers of all changes, because it adds or removes a partition of them.
 * @throws ImportRefusal `busy` if a statement reads them for minutes
 */
async function alter<T>(client: pg.ClientBase, work: () => Promise<T>): Promise<T> {
  const done = await withShortLocks(client, work);
  if (!done) throw new ImportRefusal('busy', 'A statement, for instance of a backup, still reads the recorded changes.');
  return done.value;
}

const comparisons = createComparisons({ registry: 'receita', differences: DIFFERENCES, alter });

/** Writes the differences of two versions, one statement and transaction per kind. @throws ImportRefusal `busy` */
export const compareVersions = (client: pg.ClientBase, origin: string, from: ComparedVersion, to: ComparedVersion): Promise<ChangeCounts> =>
  comparisons.compare(client, origin, from, to);

/**
 * Deletes the comparisons of an origin that lead to none of the `kept` versions, and those whose later extract is older than `months`
 * before the newest one.
 * @throws ImportRefusal `busy`
 */
export const pruneComparisons = (client: pg.ClientBase, origin: string, kept: KeptComparisons): Promise<void> =>
  comparisons.prune(client, origin, kept);
