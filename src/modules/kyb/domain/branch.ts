import type { CompanyKey, RegistrationStatus } from '../../../domain/company.ts';
import { invalidInput } from '../../../domain/errors.ts';
import { parseCursor, toCursor } from '../../../domain/paging.ts';
import { cnpjRoot } from '../../../domain/tax-id.ts';
import type { Localized } from '../../../messages/message.ts';
import { operationMessages } from '../../../messages/operations.ts';
import type { RegistryTerm } from './registration.ts';

/** Statuses of a branch that is in the registry. */
export type BranchStatus = Exclude<RegistrationStatus, 'not_found'>;

/** A branch of a company. Dates are ISO; a field is null where the registry publishes no value. */
export interface Branch {
  /** Bare CNPJ. */
  readonly taxId: string;
  readonly tradeName: string | null;
  readonly status: BranchStatus;
  /** Status in the words of the registry. */
  readonly statusText: string;
  readonly statusSince: string | null;
  readonly openedOn: string | null;
  readonly mainActivity: RegistryTerm | null;
  /** Municipality in capitals. */
  readonly municipality: string | null;
  /** Two letters of the state (UF). */
  readonly region: string | null;
}

/** A page of the branches of a company, by CNPJ. */
export interface Branches {
  readonly items: readonly Branch[];
  readonly hasMore: boolean;
  /** False if the registry has no company with this CNPJ root. */
  readonly companyKnown: boolean;
  /** Reason for which branches may be missing, a sentence; null for a complete list. */
  readonly reason: Localized | null;
}

/** Encodes the position of a branch in the list with a status. */
export const toBranchCursor = (status: BranchStatus | null, { taxId }: Branch): string =>
  toCursor('branch', [cnpjRoot(taxId), taxId.slice(8, 12), status]);

/** @throws AppError INVALID_INPUT for a text that is no cursor of this list */
export function parseBranchCursor({ taxId }: CompanyKey, status: BranchStatus | null, cursor: string): string {
  const [root, branch, ofStatus] = parseCursor('branch', 3, cursor);
  if (root !== cnpjRoot(taxId) || (ofStatus ?? null) !== status || !branch || !/^[\dA-Z]{4}$/.test(branch))
    throw invalidInput('after', operationMessages.notACursor());
  return branch;
}
