import type { Answer, ListFacts } from '../../../domain/answer.ts';
import type { Mirror, SourceName } from '../../../domain/catalogue.ts';
import { type CompanyKey, type Country, REGISTRY_OF } from '../../../domain/company.ts';
import { CHECKS_OF, type CheckName } from '../../../domain/compliance.ts';
import { chosenOf } from '../../../domain/optional-lists.ts';
import { MAX_LENGTHS, storable } from '../../../domain/text.ts';
import { isoWithOffset } from '../../../domain/time.ts';
import type { ReceiptFacts, ReceiptOwners, ReceiptSource } from '../../../evidence/receipt.ts';
import { digestOf } from '../../../evidence/seal.ts';
import { FINE_LISTS } from '../../debarment/domain/contract-fines.ts';
import { DEBARMENT_LISTS, OPTIONAL_BAN_LISTS } from '../../debarment/domain.ts';
import { LABOR_LISTS } from '../../labor/domain.ts';
import { SANCTIONS_LISTS } from '../../sanctions/domain.ts';
import { reasonText } from '../domain.ts';
import type { Compliance } from '../loader.ts';
import { receiptFindings } from './receipt-findings.ts';

/** The sources of each check of a country. */
const sourcesOfChecks = (country: Country): Readonly<Record<CheckName, readonly SourceName[]>> => ({
  kyb: [REGISTRY_OF[country]],
  sanctions: SANCTIONS_LISTS,
  debarment: DEBARMENT_LISTS,
  labor: LABOR_LISTS,
  owners: [country === 'CL' ? 'cl_ownership' : REGISTRY_OF[country]],
  tax_health: ['sii', 'TAX_DEBTORS_CL'],
  contract_fines: FINE_LISTS,
});

const SOURCES_OF = { BR: sourcesOfChecks('BR'), CL: sourcesOfChecks('CL'), CO: sourcesOfChecks('CO') };

/** The request for the check. */
interface CheckRequest {
  readonly requestId: string;
  readonly keyId: string;
  readonly keyName: string;
}

/** Returns the part of a receipt about a consolidated check. */
export const receiptFacts = (
  { requestId, keyId, keyName }: CheckRequest,
  { country, taxId }: CompanyKey,
  compliance: Compliance,
  owners: ReceiptOwners | null,
): ReceiptFacts => ({
  request_id: requestId,
  api_key: keyId,
  api_key_name: storable(keyName, MAX_LENGTHS.label),
  company: {
    country,
    identifier: taxId,
    name: compliance.companyName === null ? null : storable(compliance.companyName, MAX_LENGTHS.name),
    status: compliance.checks.kyb?.value.status ?? null,
  },
  verdict: {
    risk_level: compliance.risk.level,
    completeness: compliance.completeness,
    risk_reasons: compliance.risk.reasons.map(reasonText),
    sources_failed: compliance.sourcesFailed,
    generated_at: isoWithOffset(compliance.generatedAt),
    rules_version: compliance.rulesVersion,
  },
  ...receiptFindings(compliance),
  owners,
  sources: CHECKS_OF[compliance.country].flatMap((check) => sourcesOf(compliance, check)),
});

function sourcesOf({ country, checks, lists }: Compliance, check: CheckName): readonly ReceiptSource[] {
  const answer = checks[check];
  const chosen = check === 'debarment' ? chosenOf(lists, OPTIONAL_BAN_LISTS) : [];
  const sources = [...SOURCES_OF[country][check], ...chosen];
  if (!answer) return sources.map((source) => failed(check, source));
  return answeredSources(answer, check, sources).map((source) => (source.source === 'TAX_DEBTORS_CL' ? ofDebtors(source, checks) : source));
}

/** Corrects what a tax standing says of the list of debtors, which has a date of its own, and may not have been read. */
const ofDebtors = (source: ReceiptSource, { tax_health }: Compliance['checks']): ReceiptSource =>
  tax_health?.value.debtorsChecked
    ? { ...source, data_as_of: tax_health.value.debtorsAsOf, list_version: tax_health.value.debtorsAsOf }
    : failed(source.check, source.source);

/** Returns the sources of an answer with their digests. */
function answeredSources({ value, freshness }: Answer<object>, check: CheckName, sources: readonly SourceName[]): readonly ReceiptSource[] {
  const digest = digestOf(value);
  const mirror = 'mirror' in value ? (value.mirror as Mirror | null) : null;
  const lists = 'lists' in value ? (value.lists as readonly ListFacts[]) : null;
  return sources.map((source) => {
    const version = lists?.find(({ list }) => list === source);
    if (lists && !version) return failed(check, source);
    return {
      check,
      source,
      ...(mirror && { mirror }),
      outcome: 'answered',
      answered_at: isoWithOffset(freshness.fetchedAt),
      data_as_of: version ? version.publishedOn : freshness.dataAsOf,
      list_version: version?.publishedOn ?? null,
      checksum: version?.checksum ?? null,
      answer_digest: digest,
    };
  });
}

const failed = (check: CheckName, source: SourceName): ReceiptSource => ({
  check,
  source,
  outcome: 'failed',
  answered_at: null,
  data_as_of: null,
  list_version: null,
  checksum: null,
  answer_digest: null,
});
