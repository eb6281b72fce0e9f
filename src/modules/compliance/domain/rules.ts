import type { SourceName } from '../../../domain/catalogue.ts';
import type { Country } from '../../../domain/company.ts';
import type { CheckName, FindingCode } from '../../../domain/compliance.ts';
import { companyMessages } from '../../../messages/companies.ts';
import { joined, type Localized, type Message } from '../../../messages/message.ts';
import { reasonMessages } from '../../../messages/reasons.ts';
import type { ContractFines } from '../../debarment/domain/contract-fines.ts';
import { type Debarment, isBan } from '../../debarment/domain.ts';
import type { Kyb } from '../../kyb/domain.ts';
import type { Labor } from '../../labor/domain.ts';
import type { AnyOwners } from '../../owners/domain/declared.ts';
import type { Sanctions } from '../../sanctions/domain.ts';
import type { TaxDebt, TaxHealth } from '../../tax-health/domain.ts';

/** Results of the checks of a company; null for a check that failed, and for one that its country does not have. */
export interface Seen {
  readonly kyb: Kyb | null;
  /** ISO date of the data of the registry; null if it is not known. */
  readonly kybAsOf: string | null;
  readonly sanctions: Sanctions | null;
  readonly debarment: Debarment | null;
  readonly labor: Labor | null;
  readonly owners: AnyOwners | null;
  readonly tax_health: TaxHealth | null;
  readonly contract_fines: ContractFines | null;
  /** Entry on the list of Chilean tax debtors, which is read also while the tax registry fails; null if it was not read. */
  readonly taxDebt: TaxDebt | null;
}

/** A rule of a verdict: what it looks for in the result of one check, and the level that a finding gives. */
export interface Rule {
  readonly check: CheckName;
  readonly code: FindingCode;
  /** Level of a finding; low for one that is reported and gives no level. */
  readonly severity: 'low' | 'medium' | 'high';
  /** Returns a sentence with the evidence for each finding; none if the rule finds nothing. */
  readonly findings: (seen: Seen) => readonly Message[];
}

/** The rules of a country. The version is the date on which they were last changed; answers and receipts state it. */
export interface RuleTable {
  readonly version: string;
  /** Rules in the order of their reasons. */
  readonly rules: readonly Rule[];
}

const sanctionsMatch: Rule = {
  check: 'sanctions',
  code: 'match',
  severity: 'high',
  findings: ({ sanctions }) =>
    byList(sanctions?.matches ?? [], ({ list }) => list).map(([list, matches]) =>
      reasonMessages.matches({ n: matches.length, list, names: firstThree(matches.map(({ entryName }) => entryName)) }),
    ),
};

const laborListed: Rule = {
  check: 'labor',
  code: 'listed',
  severity: 'high',
  findings: ({ labor }) =>
    byList(labor?.records ?? [], ({ source }) => source).map(([list, records]) =>
      recordsOn(
        list,
        records.map(({ employer, year, status }) => reasonMessages.laborRecord({ employer, year, status: reasonMessages[status]() })),
      ),
    ),
};

const debarmentRecord: Rule = {
  check: 'debarment',
  code: 'record',
  severity: 'medium',
  findings: ({ debarment }) =>
    byList((debarment?.records ?? []).filter(isBan), ({ source }) => source).map(([list, records]) =>
      recordsOn(
        list,
        records.map(({ sanctionType, sanctioningBody, status }) =>
          reasonMessages.debarmentRecord({ kind: sanctionType, body: sanctioningBody, status: reasonMessages[status]() }),
        ),
      ),
    ),
};

const contractFine: Rule = {
  check: 'contract_fines',
  code: 'fine',
  severity: 'low',
  findings: ({ contract_fines: fines }) =>
    byList(fines?.records ?? [], ({ source }) => source).map(([list, records]) =>
      reasonMessages.contractFines({
        n: records.length,
        list,
        fines: firstThree(
          records.map(({ kind, entity, date }) =>
            reasonMessages.contractFine({ kind: kind ?? reasonMessages.fine(), body: entity, date: date ?? reasonMessages.noDate() }),
          ),
        ),
      }),
    ),
};

const taxDebtor: Rule = {
  check: 'tax_health',
  code: 'tax_debtor',
  severity: 'medium',
  findings: ({ taxDebt }) =>
    taxDebt?.owed ? [taxDebt.amount === null ? reasonMessages.taxDebtor() : reasonMessages.taxDebtorOf({ amount: taxDebt.amount })] : [],
};

const notRegistered = (idName: string): Rule => ({
  check: 'kyb',
  code: 'not_found',
  severity: 'medium',
  findings: ({ kyb }) => (kyb?.status === 'not_found' ? [companyMessages.notFoundAs({ id: idName })] : []),
});

const notActive: Rule = {
  check: 'kyb',
  code: 'inactive',
  severity: 'medium',
  findings: ({ kyb }) => (kyb?.status === 'inactive' ? [reasonMessages.notActive({ registration: String(kyb.registration) })] : []),
};

/** A legal person that never registers in the commercial register is a finding, too, because nothing confirms that it exists. */
const notInRegister: Rule = {
  check: 'kyb',
  code: 'not_found',
  severity: 'medium',
  findings({ kyb, kybAsOf: date }) {
    if (kyb?.status !== 'not_found') return [];
    const absence = kyb.absence ?? 'not_in_register';
    return [absence === 'not_in_register' && date !== null ? reasonMessages.notInRegisterAsOf({ date }) : reasonMessages[absence]()];
  },
};

/** A company whose branch is registered as active is not active itself if its own registration has ended. */
const branchOnly: Rule = {
  check: 'kyb',
  code: 'inactive',
  severity: 'medium',
  findings: ({ kyb }) => (kyb?.status === 'active' && !kyb.verified ? [reasonMessages.branchOnly()] : []),
};

/** Number of missed renewals from which they are reported. A registration is renewed every year. */
const RENEWALS_MISSED = 2;

const notRenewed: Rule = {
  check: 'kyb',
  code: 'not_renewed',
  severity: 'low',
  findings: ({ kyb }) =>
    (kyb?.renewalsMissed ?? 0) >= RENEWALS_MISSED
      ? [reasonMessages.notRenewed({ year: String(kyb?.lastRenewedYear), missed: String(kyb?.renewalsMissed) })]
      : [],
};

/**
 * The rules of each country. Those of Brazil are the contract's: high for any sanctions match or forced-labour record, medium for any
 * debarment record or a registration that is not active. Records of optional lists are among those of debarment only where the account has
 * chosen the list for its verdicts, and count while they are in force.
 */
export const RULES: Readonly<Record<Country, RuleTable>> = {
  BR: { version: '2026-01-01', rules: [sanctionsMatch, laborListed, debarmentRecord, notRegistered('CNPJ'), notActive] },
  CL: { version: '2026-11-28', rules: [sanctionsMatch, taxDebtor, notRegistered('RUT'), notActive] },
  CO: { version: '2026-11-28', rules: [sanctionsMatch, contractFine, notInRegister, notActive, branchOnly, notRenewed] },
};

/** Groups findings by their list, in the order of first appearance. */
function byList<T, L extends SourceName>(findings: readonly T[], listOf: (finding: T) => L): (readonly [L, readonly T[]])[] {
  return [...Map.groupBy(findings, listOf)];
}

const recordsOn = (list: SourceName, records: readonly Message[]): Message =>
  reasonMessages.records({ n: records.length, list, records: firstThree(records) });

/** Joins the first three, so that a reason stays one sentence. */
const firstThree = (all: readonly (string | Message)[]): Localized => joined(all.length > 3 ? [...all.slice(0, 3), '…'] : all, '; ');
