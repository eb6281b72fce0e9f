import type { Country, RegistrationStatus } from '../domain/company.ts';
import type { CheckName, FindingCode, RiskLevel } from '../domain/compliance.ts';
import type { ReceiptFinding, ReceiptOwners } from './receipt.ts';

/** Texts of a report, beside those of a printed receipt. Terms of registries and lists are printed as the receipt has them. */
export interface ReportTexts {
  readonly title: string;
  readonly taxId: string;
  readonly country: string;
  readonly countries: Readonly<Record<Country, string>>;
  readonly status: string;
  readonly statuses: Readonly<Record<RegistrationStatus, string>>;
  /** For a name or a status that no registry gave. */
  readonly unknown: string;
  readonly requestedBy: string;
  readonly levels: Readonly<Record<RiskLevel, string>>;
  /** The level of a check that is not complete and has found nothing so far. */
  readonly lowSoFar: string;
  readonly notComplete: string;
  readonly insufficient: string;
  readonly findings: string;
  readonly noFindings: string;
  readonly noFindingsSoFar: string;
  readonly furtherFindings: string;
  /** For a receipt that was issued before receipts had records. */
  readonly earlierReceipt: string;
  readonly codes: Readonly<Record<FindingCode, string>>;
  /** Labels of `detail` of a finding. */
  readonly details: Readonly<Record<FindingCode, string>>;
  readonly entryName: string;
  readonly entryId: string;
  readonly body: string;
  readonly process: string;
  readonly amount: string;
  readonly period: string;
  readonly noStart: string;
  readonly noEnd: string;
  readonly inForce: string;
  readonly inForceTexts: Readonly<Record<NonNullable<ReceiptFinding['status']>, string>>;
  readonly matchedOn: string;
  readonly matches: Readonly<Record<NonNullable<ReceiptFinding['matched_on']>, string>>;
  readonly owners: string;
  readonly ownersText: (owners: ReceiptOwners) => string;
  /** The owners of a Colombian company, whose register has its legal representative only. */
  readonly officers: string;
  readonly officersText: (officers: ReceiptOwners) => string;
  readonly noOwners: string;
  readonly sources: string;
  readonly checks: Readonly<Record<CheckName, string>>;
  readonly unread: string;
  readonly allRead: string;
  readonly partlyRead: string;
  readonly verification: string;
  readonly verificationText: string;
  readonly codeText: string;
  readonly unprintable: string;
  readonly noClearance: string;
  readonly appendix: string;
  readonly requestId: string;
  readonly keyId: string;
  readonly rules: string;
}

/**
 * Returns the name of a check; undefined for a check of a newer version. What the register of Colombia has are no owners, but the legal
 * representative.
 */
export const checkName = (
  { check, source }: { readonly check: string; readonly source: string | undefined },
  { checks, officers }: ReportTexts,
): string | undefined => (check === 'owners' && source === 'rues' ? officers : (checks as Readonly<Record<string, string>>)[check]);
