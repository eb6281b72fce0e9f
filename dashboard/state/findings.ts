import type { ListingStatus } from '../api/operations.ts';
import type { ShownCompany } from './model.ts';
import { publisherPage } from './publishers.ts';

/** A record of a list about a company, as one row of the table of findings. */
export interface Finding {
  readonly id: string;
  readonly check: 'SANCTIONS' | 'DEBARMENT' | 'LABOR' | 'TAX_HEALTH' | 'CONTRACT_FINES';
  /** Name of the list. */
  readonly list: string;
  /** The words of the list: kind of penalty, programmes, name of the party. */
  readonly what: string;
  /** Body that issued it; null if the list names none. */
  readonly body: string | null;
  /** ISO date; null if the list states none. A fine has this date alone. */
  readonly startsOn: string | null;
  /** ISO date; null if it has no end, or the list states none. */
  readonly endsOn: string | null;
  /** Text that the list prints in place of an end date; null for none. */
  readonly endText: string | null;
  readonly amount: { readonly value: string; readonly currency: 'BRL' | 'CLP' | 'COP' } | null;
  /** Number of people who were found in forced labour; null for other records. */
  readonly workers: number | null;
  /** Number of the process or of the decision; null for none. */
  readonly reference: string | null;
  /** Null for a list of which every entry is in force. */
  readonly status: ListingStatus | null;
  /** True if the list names another establishment of the same legal person. */
  readonly isOfBranch: boolean;
  /** Page of the publisher; null if none is known. */
  readonly page: string | null;
}

/** Returns the records about a company of all checks that answered, those of sanctions first. */
export function findingsOf({ compliance, sanctions, taxHealth }: ShownCompany): readonly Finding[] {
  const checks = compliance?.checks;
  return [
    ...((checks?.sanctions ?? sanctions)?.matches ?? []).map(ofSanctions),
    ...(checks?.labor?.records ?? []).map(ofLabor),
    ...(checks?.debarment?.records ?? []).map(ofDebarment),
    ...(checks?.contractFines?.records ?? []).map(ofFine),
    ...ofTaxDebt(checks?.taxHealth ?? taxHealth ?? null),
  ];
}

type Checks = NonNullable<ShownCompany['compliance']>['checks'];
type Match = NonNullable<Checks['sanctions']>['matches'][number];
type Ban = NonNullable<Checks['debarment']>['records'][number];
type Fine = NonNullable<Checks['contractFines']>['records'][number];
type Listing = NonNullable<Checks['labor']>['records'][number];

const NOTHING_MORE = {
  body: null,
  startsOn: null,
  endsOn: null,
  endText: null,
  amount: null,
  workers: null,
  reference: null,
  status: null,
};

const ofSanctions = ({ id, list, entityId, entryName, programs, measures, startsOn, endsOn, matchedOn }: Match): Finding => ({
  ...NOTHING_MORE,
  id,
  check: 'SANCTIONS',
  list,
  what: [entryName, ...programs, ...measures].join(' · '),
  startsOn,
  endsOn,
  reference: entityId,
  isOfBranch: matchedOn === 'ROOT',
  page: publisherPage(list, entityId),
});

const ofDebarment = (record: Ban): Finding => ({
  ...NOTHING_MORE,
  id: record.id,
  check: 'DEBARMENT',
  list: record.source,
  what: [record.sanctionType, record.reason].filter(Boolean).join(' · '),
  body: record.sanctioningBody,
  startsOn: record.dateStart,
  endsOn: record.dateEnd,
  endText: record.endText,
  amount: record.fineAmount === null ? null : { value: record.fineAmount, currency: 'BRL' },
  reference: [record.processId, record.reference].filter(Boolean).join(' · ') || null,
  status: record.status,
  isOfBranch: record.matchedOn === 'ROOT',
  page: publisherPage(record.source),
});

const ofLabor = (record: Listing): Finding => ({
  ...NOTHING_MORE,
  id: record.id,
  check: 'LABOR',
  list: record.source,
  what: `${record.employer} · ${record.state} ${record.year}`,
  startsOn: record.listedOn,
  endsOn: record.removedOn,
  workers: record.workersRescued,
  reference: record.decisionId,
  status: record.status,
  isOfBranch: record.matchedOn === 'ROOT',
  page: publisherPage(record.source),
});

/** A contract fine of Colombia, with the page of its procedure if the list has one. */
const ofFine = ({ id, source, entity, kind, amount, resolution, date, contract, processUrl }: Fine): Finding => ({
  ...NOTHING_MORE,
  id,
  check: 'CONTRACT_FINES',
  list: source,
  what: kind ?? '',
  body: entity || null,
  startsOn: date,
  amount: amount === null ? null : { value: amount, currency: 'COP' },
  reference: [resolution, contract].filter(Boolean).join(' · ') || null,
  isOfBranch: false,
  page: processUrl ?? publisherPage(source),
});

/** The entry on the list of tax debtors, which the operator provides, so that there is no page of a publisher. */
function ofTaxDebt(found: Checks['taxHealth'] | null): readonly Finding[] {
  if (!found?.riskSignals.includes('TAX_DEBTOR')) return [];
  const { taxDebtAmount, taxDebtAsOf } = found;
  const amount = taxDebtAmount === null ? null : { value: taxDebtAmount, currency: 'CLP' as const };
  const record = { id: 'TAX_DEBTORS_CL', check: 'TAX_HEALTH' as const, list: 'TAX_DEBTORS_CL', what: '' };
  return [{ ...NOTHING_MORE, ...record, startsOn: taxDebtAsOf, amount, isOfBranch: false, page: null }];
}
