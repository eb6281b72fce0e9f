import type { Freshness } from '../../../domain/answer.ts';
import { coverageMessages } from '../../../messages/coverage.ts';
import type { Message } from '../../../messages/message.ts';
import type { Officers, Owner, Owners } from '../domain.ts';
import type { OwnershipShare } from './share.ts';

/** Statuses of the composition of a company, with their descriptions. */
export const COMPOSITION_STATUSES = {
  published: 'The file of the tax registry has the owners of the company.',
  unread:
    'Rows of the file that are about the company, or may be, could not be read: an owner may be missing, or have a share that is too low.',
  not_published: 'The file has no composition of the company. That does not mean that it has no owners.',
} as const;

/** The owners of a Chilean company as a whole, from the file of the tax registry. */
export interface OwnershipComposition {
  readonly status: keyof typeof COMPOSITION_STATUSES;
  /** Share of all natural persons together in percent; null if it is not known, or there are none. */
  readonly naturalPersonsShare: string | null;
  /** Null if the composition is not published. */
  readonly hasNaturalPersons: boolean | null;
  /** True if all shares are known and add up to 100 %; null if the composition is not published. */
  readonly complete: boolean | null;
}

/** An owner of a Chilean company: a company, or all natural persons together, who have no name and no identifier. */
export interface DeclaredOwner extends Omit<Owner, 'entityType'> {
  readonly entityType: 'company' | 'natural_persons';
  readonly share: OwnershipShare;
}

/** The owners of a Chilean company as declared to the tax registry. */
export interface DeclaredOwners extends Omit<Owners, 'owners' | 'source' | 'mirror'> {
  readonly owners: readonly DeclaredOwner[];
  readonly source: 'cl_ownership';
  readonly mirror: null;
  readonly composition: OwnershipComposition;
}

/** The owners of a company in the form of its country. */
export type AnyOwners = Owners | DeclaredOwners | Officers;

/** Returns the sentence on the file of owners. @param freshness age of the answer, whose date is that of the file */
export const ownersFileCoverage = ({ dataAsOf }: Pick<Freshness, 'dataAsOf'>): Message =>
  coverageMessages.ownersFile({ date: dataAsOf ?? '' });

/** Owners of a company that neither the file nor the registry has. */
export const NO_DECLARED_OWNERS: DeclaredOwners = {
  companyName: '',
  owners: [],
  source: 'cl_ownership',
  mirror: null,
  composition: { status: 'not_published', naturalPersonsShare: null, hasNaturalPersons: null, complete: null },
};
