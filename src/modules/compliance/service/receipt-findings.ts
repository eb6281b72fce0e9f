import type { SourceName } from '../../../domain/catalogue.ts';
import { REGISTRY_OF } from '../../../domain/company.ts';
import { MAX_LENGTHS, storable } from '../../../domain/text.ts';
import type { ReceiptFinding } from '../../../evidence/receipt.ts';
import type { ContractFine } from '../../debarment/domain/contract-fines.ts';
import { type DebarmentRecord, isBan } from '../../debarment/domain.ts';
import type { LaborRecord } from '../../labor/domain.ts';
import type { SanctionsMatch } from '../../sanctions/domain.ts';
import type { RiskReason } from '../domain.ts';
import type { Compliance } from '../loader.ts';

/** Maximum number of records in a receipt. */
const MAX_FINDINGS = 100;

type Details = Partial<Omit<ReceiptFinding, 'check' | 'code' | 'source'>>;

/**
 * Returns the records behind the reasons of a verdict, in the order of the reasons. Each reason has one record at least. No record names an
 * owner: the lists are searched for the tax id of the company.
 */
export function receiptFindings(compliance: Compliance): { readonly findings: readonly ReceiptFinding[]; readonly findings_total: number } {
  const kinds = [...Map.groupBy(compliance.risk.reasons, ({ check, code }) => `${check}.${code}`).values()];
  const all = kinds.flatMap(([reason]) => (reason ? recordsOf(reason, compliance) : []));
  return { findings: all.slice(0, MAX_FINDINGS), findings_total: all.length };
}

function recordsOf({ check, code }: RiskReason, { country, checks }: Compliance): readonly ReceiptFinding[] {
  const record = (source: SourceName, details: Details): ReceiptFinding => ({ ...NO_DETAILS, check, code, source, ...details });
  switch (code) {
    case 'match':
      return (checks.sanctions?.value.matches ?? []).map((match) => record(match.list, ofMatch(match)));
    case 'listed':
      return (checks.labor?.value.records ?? []).map((listing) => record(listing.source, ofListing(listing)));
    case 'record':
      return (checks.debarment?.value.records ?? []).filter(isBan).map((penalty) => record(penalty.source, ofPenalty(penalty)));
    case 'fine':
      return (checks.contract_fines?.value.records ?? []).map((fine) => record(fine.source, ofFine(fine)));
    case 'tax_debtor':
      return [record('TAX_DEBTORS_CL', { amount: checks.tax_health?.value.taxDebtAmount ?? null })];
    case 'inactive':
      return [record(REGISTRY_OF[country], { detail: short(checks.kyb?.value.registration) })];
    case 'not_renewed':
      return [record(REGISTRY_OF[country], { detail: short(checks.kyb?.value.lastRenewedYear?.toString()) })];
    case 'not_found':
      return [record(REGISTRY_OF[country], {})];
  }
}

const NO_DETAILS: Required<Details> = {
  entry_id: null,
  entry_name: null,
  detail: null,
  body: null,
  process_id: null,
  amount: null,
  starts_on: null,
  ends_on: null,
  status: null,
  matched_on: null,
};

const ofMatch = ({ entityId, entryName, programs, startsOn, endsOn, matchedOn }: SanctionsMatch): Details => ({
  entry_id: short(entityId),
  entry_name: short(entryName),
  detail: short(programs.join(', ')),
  starts_on: startsOn,
  ends_on: endsOn,
  matched_on: matchedOn,
});

const ofListing = ({ id, employer, year, listedOn, removedOn, status, matchedOn }: LaborRecord): Details => ({
  entry_id: id,
  entry_name: short(employer),
  detail: String(year),
  starts_on: listedOn,
  ends_on: removedOn,
  status,
  matched_on: matchedOn === 'cnpj' ? 'tax_id' : 'root',
});

const ofPenalty = (penalty: DebarmentRecord): Details => ({
  entry_id: penalty.id,
  detail: short(penalty.sanctionType),
  body: short(penalty.sanctioningBody),
  process_id: short(penalty.processId),
  amount: penalty.fineAmount,
  starts_on: penalty.dateStart,
  ends_on: penalty.dateEnd,
  status: penalty.status,
  matched_on: penalty.matchedOn === 'cnpj' ? 'tax_id' : 'root',
});

const ofFine = ({ id, kind, entity, resolution, amount, date }: ContractFine): Details => ({
  entry_id: id,
  detail: short(kind),
  body: short(entity),
  process_id: short(resolution),
  amount,
  starts_on: date,
  matched_on: 'tax_id',
});

/** Cuts a text, so that a receipt has a bounded size; null for an empty one. */
const short = (text: string | null | undefined): string | null => (text ? storable(text, MAX_LENGTHS.label) : null);
