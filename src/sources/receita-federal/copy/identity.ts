import type { Found } from '../../../domain/answer.ts';
import type { ReceitaCopy } from './reader.ts';
import { findIdentities, type RegistryPerson, type StoredIdentity } from './store/namesakes.ts';

/** A person of the registry, who is known by the visible digits of the CPF and the normalised name only. */
export interface ProbableIdentity {
  /** Masked CPF, e.g. `***456789**`. */
  readonly identifier: string;
  /** Normalised name: capitals and digits without accents. */
  readonly name: string;
  /** Number of different masked CPFs in the registry with this name and the region of this CPF. */
  readonly namesakes: number;
  /** Expected number of other people in the registry with this name and the same visible digits. */
  readonly expectedOthers: number;
}

/** Number of different visible digits of a region: six digits, of which the last one is the region. */
const VISIBLE_PER_REGION = 100_000;

/**
 * Converts an identity. `documents` people at least have the name. Those of them who share their visible digits are counted once, so their
 * probable number is larger: of m people, VISIBLE × (1 − e^(−m / VISIBLE)) different digits are expected. Each of the others has the digits
 * of this person with the probability 1 / VISIBLE.
 */
export function toIdentity({ document, key, documents }: StoredIdentity): ProbableIdentity {
  if (documents === 1) return { identifier: document, name: key, namesakes: 1, expectedOthers: 0 };
  const share = Math.min(documents / VISIBLE_PER_REGION, 1 - 1 / VISIBLE_PER_REGION);
  const people = -VISIBLE_PER_REGION * Math.log(1 - share);
  return { identifier: document, name: key, namesakes: documents, expectedOthers: (people - 1) / VISIBLE_PER_REGION };
}

/** Returns the identity of every person, by one statement; null for a name without a letter or digit. @throws AppError SOURCE_UNAVAILABLE */
export const readIdentities = (
  copy: ReceitaCopy,
  people: readonly RegistryPerson[],
): Promise<Found<readonly (ProbableIdentity | null)[]>> =>
  copy.read(async (db, { id }) => (await findIdentities(db, id, people)).map((row) => (row.key === '' ? null : toIdentity(row))));
