import { invalidInput } from '../../../domain/errors.ts';
import { fieldMessages } from '../../../messages/fields.ts';
import type { Localized } from '../../../messages/message.ts';
import type { OwnershipShare } from './share.ts';

/** A person as the registry shows one: the identity is probable, and is never a proof that two records are one person. */
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

/** A company of a path. */
export interface PathCompany {
  /** Bare CNPJ of the head office, or bare RUT. */
  readonly taxId: string;
  readonly name: string | null;
}

/** An edge of a path: an owner, which is a company or a person, and a company. */
export interface PathEdge {
  /** Null for a person. */
  readonly owner: PathCompany | null;
  /** Null for a company. */
  readonly person: { readonly name: string; readonly identity: ProbableIdentity } | null;
  readonly owned: PathCompany;
  readonly role: string;
  /** ISO date; null where the registry has none or an impossible one. */
  readonly since: string | null;
  /** Share of the owner; absent where the registry publishes none. */
  readonly share?: OwnershipShare;
}

/** Results of a search for a path, with their descriptions. */
export const PATH_STATUSES = {
  found: 'A shortest path within the limits.',
  none_within_limits: 'No path has at most `maxDepth` edges. A longer one may exist.',
  stopped: 'The search was stopped before it had seen all paths, so there may be one.',
} as const;
export type PathStatus = keyof typeof PATH_STATUSES;

/** Reasons for which a search was stopped, with their descriptions. */
export const STOP_REASONS = {
  node_limit: 'It had read 20,000 companies and people.',
  time: 'It had taken a second.',
} as const;
export type PathStop = keyof typeof STOP_REASONS;

/** Path between two companies through owners and companies that they own. */
export interface CompanyPath {
  readonly status: PathStatus;
  readonly stoppedBy: PathStop | null;
  /** Edges from the first company to the second one, each from an owner to a company; empty unless a path was found. */
  readonly edges: readonly PathEdge[];
  readonly visitedCompanies: number;
  readonly visitedPeople: number;
  /** False if the registry has no such company. */
  readonly fromKnown: boolean;
  readonly toKnown: boolean;
  /** Reason for which edges may be missing, a sentence; null if none is known to be. */
  readonly reason: Localized | null;
}

export const DEFAULT_PATH_DEPTH = 4;
export const MAX_PATH_DEPTH = 6;

/** Returns the given maximum number of edges, or the default. @throws AppError INVALID_INPUT */
export function requirePathDepth(given: number | null, field: string): number {
  const depth = given ?? DEFAULT_PATH_DEPTH;
  if (depth < 1 || depth > MAX_PATH_DEPTH) throw invalidInput(field, fieldMessages.oneTo({ max: MAX_PATH_DEPTH }));
  return depth;
}

/** Returns the number of edges of a path; null without one. */
export const lengthOf = ({ status, edges }: CompanyPath): number | null => (status === 'found' ? edges.length : null);
