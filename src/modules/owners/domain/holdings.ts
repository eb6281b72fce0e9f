import type { RegistrationStatus } from '../../../domain/company.ts';
import { companyMessages } from '../../../messages/companies.ts';
import { joined, type Localized } from '../../../messages/message.ts';
import type { OwnershipShare } from './share.ts';

/** A company in which a partner is registered as owner or officer. */
export interface Holding {
  /** Bare CNPJ of its head office, or bare RUT. */
  readonly taxId: string;
  /** Null if the registry has no name of it. */
  readonly name: string | null;
  /** Registration of its head office; null if the registry's files have none. */
  readonly status: Exclude<RegistrationStatus, 'not_found'> | null;
  /** Role in the registry's term; empty if it states none. */
  readonly role: string;
  /** ISO date of entry; null where the registry has none or an impossible one. */
  readonly since: string | null;
  /** Share of the partner; absent where the registry publishes none. */
  readonly share?: OwnershipShare;
  readonly position: HoldingCursor;
}

/** Position in the list of a partner's companies. */
export interface HoldingCursor {
  /** First eight characters of the tax id of the company. */
  readonly root: string;
  /** Code of the role. */
  readonly role: number | null;
  readonly since: string | null;
}

/** A page of the companies of a partner, by CNPJ. */
export interface Holdings {
  readonly items: readonly Holding[];
  readonly hasMore: boolean;
  /** False if the registry has no company with the CNPJ of the partner. */
  readonly companyKnown: boolean;
  /** Reason for which companies may be missing, a sentence; null for a complete list. */
  readonly reason: Localized | null;
}

/** Rows of partners that the own copy lacks. */
interface MissingRows {
  /** Number of lines of the files of partners that could not be read. */
  readonly unreadPartners: number;
  /** True if the operator has erased records. */
  readonly hasErased: boolean;
}

/** Returns the reason for which a list that is read from partners may be incomplete; null if there is none. */
export function missingRowsReason({ unreadPartners, hasErased }: MissingRows): Localized | null {
  const reasons = [
    ...(unreadPartners > 0 ? [companyMessages.unreadPartners({ count: unreadPartners })] : []),
    ...(hasErased ? [companyMessages.erased()] : []),
  ];
  return reasons.length === 0 ? null : joined(reasons, ' ');
}
