import type { Found } from '../../../domain/answer.ts';
import { placeOf, REGISTRATIONS, type Registration } from '../company.ts';
import type { ReceitaTerm } from '../details.ts';
import { ACTIVITIES, nameOf } from '../tables.ts';
import { shownName, storedActivity } from './nodes.ts';
import type { ReceitaCopy } from './reader.ts';
import { type BranchQuery, findBranches, type StoredBranch } from './store/branches.ts';

/** A branch as the registry publishes it. Dates are ISO; a field is null where the registry has no value. */
export interface RegistryBranch {
  readonly cnpj: string;
  readonly tradeName: string | null;
  readonly registration: Registration;
  readonly registrationSince: string | null;
  readonly openedOn: string | null;
  readonly activity: ReceitaTerm | null;
  readonly state: string | null;
  readonly municipality: string | null;
}

/** A page of branches. */
export interface RegistryBranches {
  readonly items: readonly RegistryBranch[];
  readonly hasMore: boolean;
  /** False if the copy has no company with this root. */
  readonly isKnown: boolean;
  /** True if a row of the company could not be read, so that a branch may be missing. */
  readonly isUnread: boolean;
}

/** Returns a page for every query, by one statement. @throws AppError SOURCE_UNAVAILABLE */
export const readBranches = (copy: ReceitaCopy, queries: readonly BranchQuery[]): Promise<Found<readonly RegistryBranches[]>> =>
  copy.read(async (db, { id, hasUnattributed }) => {
    const pages = await findBranches(db, id, queries);
    return pages.map(({ isKnown, isUnread, nature, rows }, i) => {
      const first = queries[i]?.first ?? 0;
      const items = rows.slice(0, first).map((row) => toBranch(row, nature));
      return { items, hasMore: rows.length > first, isKnown, isUnread: isUnread || hasUnattributed };
    });
  });

function toBranch(row: StoredBranch, nature: number | null): RegistryBranch {
  const code = storedActivity(row.activity);
  return {
    cnpj: row.cnpj,
    tradeName: shownName(row.tradeName, nature),
    registration: REGISTRATIONS[row.status as keyof typeof REGISTRATIONS],
    registrationSince: row.statusSince,
    openedOn: row.startedOn,
    activity: code === null ? null : { code, text: nameOf(ACTIVITIES, code, row.activityName) },
    ...placeOf(row.state, row.municipality),
  };
}
