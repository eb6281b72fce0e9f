import { type Answer, type Awaitable, derived, whenKnown } from '../../../domain/answer.ts';
import type { ModuleName, SourceName } from '../../../domain/catalogue.ts';
import type { DerivedLoader, Load } from '../../../loaders/loader.ts';
import type { Candidate } from '../../sanctions/domain/candidate.ts';
import { SANCTIONS_LISTS } from '../../sanctions/domain.ts';
import { companyNames, personNames } from '../../sanctions/loaders/candidates.ts';
import type { NotComparable, OwnerCandidate, ScreenedOwner } from '../domain.ts';

/** The candidates of a list for an owner, best first, or why there is nothing to compare. */
export type OwnerListAnswer = readonly OwnerCandidate[] | NotComparable;

/** ScreenedOwner → what one list has that resembles the owner. Part of an answer about the owners, so it is not counted. */
export interface OwnerListLoader extends DerivedLoader<ScreenedOwner, OwnerListAnswer> {
  readonly list: SourceName;
  readonly module: ModuleName;
  readonly included: true;
}

export type OwnerListLoaders = readonly OwnerListLoader[];

interface ComparedList {
  readonly list: SourceName;
  /** The module whose data the list is. */
  readonly module: ModuleName;
  readonly compare: (owner: ScreenedOwner, load: Load) => Awaitable<Answer<OwnerListAnswer>>;
}

const LISTS: readonly ComparedList[] = SANCTIONS_LISTS.map((list, i) => ({
  list,
  module: 'sanctions',
  compare(owner, load) {
    const names = (owner.entityType === 'company' ? companyNames : personNames)[i];
    if (!names) throw new Error(`the names of ${list} have no loader`);
    return whenKnown(load(names, owner.name.trim()), byName);
  },
}));

const byName = derived((found: readonly Candidate[] | null): OwnerListAnswer => found ?? 'no_name');

const loaderOf = ({ list, module, compare }: ComparedList, granting: ModuleName = module): OwnerListLoader => ({
  name: `${granting}_owners_${list}`,
  list,
  module: granting,
  included: true,
  key: ({ entityType, name, identifier }) => JSON.stringify([entityType, name, identifier]),
  answer: compare,
});

/** The lists that owners are compared with: each needs the module whose data it is. */
export const ownerListLoaders: OwnerListLoaders = LISTS.map((one) => loaderOf(one));
/** The same within the consolidated check. */
export const complianceOwnerListLoaders: OwnerListLoaders = LISTS.map((one) => loaderOf(one, 'compliance_br'));
