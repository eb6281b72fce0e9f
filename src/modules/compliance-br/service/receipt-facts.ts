import type { Answer, ListFacts } from '../../../domain/answer.ts';
import type { Mirror, SourceName } from '../../../domain/catalogue.ts';
import type { CompanyKey } from '../../../domain/company.ts';
import { CHECKS, type CheckName } from '../../../domain/compliance.ts';
import { isoWithOffset } from '../../../domain/time.ts';
import type { ReceiptFacts, ReceiptSource } from '../../../evidence/receipt.ts';
import { digestOf } from '../../../evidence/seal.ts';
import { DEBARMENT_LISTS } from '../../debarment/domain.ts';
import { LABOR_LISTS } from '../../labor/domain.ts';
import { SANCTIONS_LISTS } from '../../sanctions/domain.ts';
import { reasonText } from '../domain.ts';
import type { Compliance } from '../loader.ts';

/** The sources of each check. */
const SOURCES_OF: Readonly<Record<CheckName, readonly SourceName[]>> = {
  kyb: ['receita_federal'],
  sanctions: SANCTIONS_LISTS,
  debarment: DEBARMENT_LISTS,
  labor: LABOR_LISTS,
  owners: ['receita_federal'],
};

/** The request that asked for the check. */
interface Asker {
  readonly requestId: string;
  readonly keyId: string;
}

/** Returns the part of a receipt about a consolidated check. */
export const receiptFacts = ({ requestId, keyId }: Asker, { country, taxId }: CompanyKey, compliance: Compliance): ReceiptFacts => ({
  request_id: requestId,
  api_key: keyId,
  company: { country, identifier: taxId },
  verdict: {
    risk_level: compliance.risk.level,
    completeness: compliance.completeness,
    risk_reasons: compliance.risk.reasons.map(reasonText),
    sources_failed: compliance.sourcesFailed,
    generated_at: isoWithOffset(compliance.generatedAt),
  },
  sources: CHECKS.flatMap((check) => sourcesOf(check, compliance.checks[check])),
});

const sourcesOf = (check: CheckName, answer: Compliance['checks'][CheckName]): readonly ReceiptSource[] =>
  answer ? answeredSources(answer, check) : SOURCES_OF[check].map((source) => failed(check, source));

/** Returns the sources of an answer with their digests. */
function answeredSources({ value, freshness }: Answer<object>, check: CheckName): readonly ReceiptSource[] {
  const digest = digestOf(value);
  const mirror = 'mirror' in value ? (value.mirror as Mirror | null) : null;
  const lists = 'lists' in value ? (value.lists as readonly ListFacts[]) : null;
  return SOURCES_OF[check].map((source) => {
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
