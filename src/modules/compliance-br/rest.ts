import { z } from 'zod';
import { MIRRORS, type Mirror, SOURCES, type SourceName } from '../../domain/catalogue.ts';
import { parseCompanyKey } from '../../domain/company.ts';
import { CHECKS, type Completeness } from '../../domain/compliance.ts';
import { AppError } from '../../domain/errors.ts';
import { fromPublicId } from '../../domain/public-ids.ts';
import { isoWithOffset } from '../../domain/time.ts';
import type { SealedReceipt } from '../../evidence/receipt.ts';
import { receiptPdf } from '../../evidence/receipt-pdf.ts';
import { RECEIPT_LANGUAGES } from '../../evidence/receipt-texts.ts';
import { parseNumberCursor, toNumberCursor } from '../../graphql/connection.ts';
import { dateOrNull, datetime, flag, identifier, nextAfter, pageAfter, pageEnd, pageSize } from '../../rest/fields.ts';
import { defineRoute, FileReply } from '../../rest/route.ts';
import { debarmentRecordReply, toDebarmentRecordReply } from '../debarment/rest.ts';
import { kybReply, toKybReply } from '../kyb/rest.ts';
import { laborRecordReply, toLaborRecordReply } from '../labor/rest.ts';
import { ownerReply, toOwnerReply } from '../owners/rest.ts';
import { sanctionsMatchReply, toSanctionsMatchReply } from '../sanctions/rest.ts';
import { reasonText } from './domain.ts';
import { type Compliance, complianceBrLoader, receiptLoader, receiptsLoader, requireAnswered } from './loader.ts';
import { issueReceipt } from './service/receipts.ts';

const hash = z.string().describe('SHA-256, hexadecimal');

const receiptSource = z.object({
  check: z.enum(CHECKS),
  source: z.enum(Object.keys(SOURCES) as [SourceName, ...SourceName[]]),
  mirror: z
    .enum(Object.keys(MIRRORS) as [Mirror, ...Mirror[]])
    .optional()
    .describe('The mirror of the tax registry that answered; absent for other sources'),
  outcome: z.enum(['answered', 'failed']),
  answered_at: datetime.nullable().describe('When the source was read; null where it failed'),
  data_as_of: dateOrNull,
  list_version: dateOrNull.describe('Date of the version of a list; null for a live source, and where none is stated'),
  checksum: hash.nullable().describe('SHA-256 of the file of the list; null for a live source'),
  answer_digest: hash.nullable().describe('SHA-256 over the canonical JSON of what the check found; null where it failed'),
});

/** A receipt with its hash and signature. */
const sealedReceipt = z
  .object({
    receipt: z.object({
      version: z.literal(1),
      id: z.string(),
      account: z.string().describe('Id of the account'),
      sequence: z.int().describe('Position in the chain of the account, from 1'),
      previous_hash: hash.nullable().describe('`content_hash` of the previous receipt; null for the first'),
      issued_at: datetime,
      request_id: z.string(),
      api_key: z.string().describe('Id of the API key'),
      company: z.object({ country: z.string(), identifier: z.string() }),
      verdict: z.object({
        risk_level: z.enum(['low', 'medium', 'high']),
        completeness: z.enum(['complete', 'partial', 'insufficient']),
        risk_reasons: z.array(z.string()),
        sources_failed: z.array(z.enum(CHECKS)),
        generated_at: datetime,
      }),
      sources: z.array(receiptSource),
    }),
    content_hash: hash.describe('SHA-256 over the canonical JSON (RFC 8785) of `receipt`'),
    signature: z.string().describe('Ed25519 signature of the 32 bytes of `content_hash`, base64'),
    key_id: z.string().describe('The key that signed: a `kid` of `/.well-known/quipu-evidence-keys`'),
  })
  .meta({ id: 'Evidence' });

/** Casts away readonly for zod. */
const toReceiptReply = (sealed: SealedReceipt): z.input<typeof sealedReceipt> => sealed as z.input<typeof sealedReceipt>;

/** GET /v1/evidence: a page of the receipts of the account, in the order of the chain. 422 for a malformed page. */
const listRoute = defineRoute({
  method: 'GET',
  path: '/v1/evidence',
  module: 'compliance_br',
  operationId: 'listEvidence',
  summary: 'Receipts of the account, in the order of its chain.',
  errors: [],
  body: z.object({
    limit: pageSize.describe('Receipts per page, 1 to 100'),
    after: pageAfter.describe('next_after of the previous page, or the `sequence` of a receipt; the first page when omitted'),
  }),
  reply: z.object({ evidence: z.array(sealedReceipt), ...pageEnd }),
  async handle({ limit, after }, ctx) {
    const page = { first: Number(limit), after: after === undefined ? null : sequenceOf(after) };
    const { items, hasMore } = await ctx.read(receiptsLoader, { accountId: ctx.caller.accountId, ...page });
    const next_after = nextAfter(items, ({ receipt }) => toNumberCursor('receipt', receipt.sequence));
    return { evidence: items.map(toReceiptReply), has_more: hasMore, next_after };
  },
});

/** Reads a position in the chain: a cursor, or a sequence, which clients sent before there was `next_after`. @throws AppError INVALID_INPUT */
const sequenceOf = (after: string): number => (/^\d{1,15}$/.test(after) ? Number(after) : parseNumberCursor('receipt', after));

const PDF = 'application/pdf';

/**
 * GET /v1/evidence/{id}: a receipt of the account, as JSON or PDF. 404 for a receipt that is unknown, of another account, or deleted after
 * its retention period.
 */
const findRoute = defineRoute({
  method: 'GET',
  path: '/v1/evidence/:id',
  module: 'compliance_br',
  operationId: 'getEvidence',
  summary: 'A receipt of a consolidated check, as JSON or PDF.',
  errors: ['EVIDENCE_NOT_FOUND'],
  body: z.object({
    id: z.string().describe('`id` of the receipt'),
    format: z.enum(['json', 'pdf'], 'Give json or pdf.').default('json').describe('pdf: the receipt as a page, with the JSON attached'),
    language: z.enum(RECEIPT_LANGUAGES, 'Give en, es or pt.').default('en').describe('Language of the PDF'),
  }),
  reply: sealedReceipt,
  file: PDF,
  async handle({ id, format, language }, ctx) {
    const sealed = await ctx.read(receiptLoader, { accountId: ctx.caller.accountId, id: fromPublicId('evidence', id) });
    if (!sealed) throw new AppError('EVIDENCE_NOT_FOUND', 'This account has no such receipt, or it has been deleted.');
    if (format === 'json') return toReceiptReply(sealed);
    return new FileReply({ type: PDF, name: `${id}.pdf`, content: await receiptPdf(sealed, language) });
  },
});

export const evidenceRoutes = [listRoute, findRoute];

const checks = z.object({
  kyb: kybReply.pick({ company_name: true, status: true, verified: true, founded_year: true, data_as_of: true }).nullable(),
  sanctions: z
    .object({ is_sanctioned: z.boolean(), matches: z.array(sanctionsMatchReply), sources_checked: z.array(z.string()) })
    .nullable(),
  debarment: z
    .object({ is_debarred: z.boolean(), records: z.array(debarmentRecordReply), sources_checked: z.array(z.string()) })
    .nullable(),
  labor: z.object({ has_violations: z.boolean(), records: z.array(laborRecordReply), sources_checked: z.array(z.string()) }).nullable(),
  owners: z.object({ count: z.int(), owners: z.array(ownerReply) }).nullable(),
});

/**
 * POST /v1/compliance-br: the consolidated check. A failed source is not an error: the reply is 200, with its check null and named in
 * `sources_failed`; `completeness` states how much was checked. 422 for a malformed CNPJ.
 */
export const complianceBrRoute = defineRoute({
  method: 'POST',
  path: '/v1/compliance-br',
  module: 'compliance_br',
  operationId: 'checkCompliance',
  summary: 'Five checks of a Brazilian company and a deterministic risk level. A `low` is clean only with `completeness` `complete`.',
  errors: ['SOURCE_UNAVAILABLE'],
  headersOf: ({ completeness }: { readonly completeness: Completeness }) => ({ 'quipu-completeness': completeness }),
  body: z.object({
    cnpj: identifier,
    receipt: flag(z.boolean('Give true or false.').default(false)).describe('true: a receipt of the verdict is written and returned'),
  }),
  reply: z.object({
    cnpj: z.string(),
    company_name: z.string(),
    risk_level: z.enum(['low', 'medium', 'high']),
    risk_reasons: z.array(z.string()),
    checks,
    sources_failed: z.array(z.enum(CHECKS)),
    completeness: z.enum(['complete', 'partial', 'insufficient']),
    generated_at: datetime,
    evidence: sealedReceipt.optional().describe('The receipt; absent unless requested with `receipt`'),
  }),
  async handle({ cnpj, receipt }, ctx) {
    const company = parseCompanyKey('BR', cnpj, 'cnpj');
    const { value } = await ctx.ask(complianceBrLoader, company);
    requireAnswered(value, ctx.caller);
    const sealed = receipt ? await issueReceipt(ctx, company, value) : null;
    return {
      cnpj,
      company_name: value.companyName ?? '',
      risk_level: value.risk.level,
      risk_reasons: value.risk.reasons.map(reasonText),
      checks: toChecks(value.checks),
      sources_failed: [...value.sourcesFailed],
      completeness: value.completeness,
      generated_at: isoWithOffset(value.generatedAt),
      ...(sealed && { evidence: toReceiptReply(sealed) }),
    };
  },
});

function toChecks({ kyb, sanctions, debarment, labor, owners }: Compliance['checks']): z.input<typeof checks> {
  return {
    kyb: kyb && toKybPart(kyb),
    sanctions: sanctions && {
      is_sanctioned: sanctions.value.isSanctioned,
      matches: sanctions.value.matches.map(toSanctionsMatchReply),
      sources_checked: [...sanctions.value.sourcesChecked],
    },
    debarment: debarment && {
      is_debarred: debarment.value.isDebarred,
      records: debarment.value.records.map(toDebarmentRecordReply),
      sources_checked: [...debarment.value.sourcesChecked],
    },
    labor: labor && {
      has_violations: labor.value.hasViolations,
      records: labor.value.records.map(toLaborRecordReply),
      sources_checked: [...labor.value.sourcesChecked],
    },
    owners: owners && { count: owners.value.owners.length, owners: owners.value.owners.map(toOwnerReply) },
  };
}

/** Adds `data_as_of`, the date of the copy at the mirror that answered, which `POST /v1/kyb` does not return for Brazil. */
function toKybPart(kyb: NonNullable<Compliance['checks']['kyb']>): z.input<typeof checks>['kyb'] {
  const { company_name, status, verified, founded_year } = toKybReply(kyb);
  return { company_name, status, verified, founded_year, data_as_of: kyb.freshness.dataAsOf };
}
