import { z } from 'zod';
import { MIRRORS, type Mirror, SOURCES, type SourceName } from '../../../domain/catalogue.ts';
import { REGISTRATION_STATUSES } from '../../../domain/company.ts';
import { ALL_CHECKS, FINDING_CODES } from '../../../domain/compliance.ts';
import { AppError } from '../../../domain/errors.ts';
import { parseNumberCursor, toNumberCursor } from '../../../domain/paging.ts';
import type { LimitedAction } from '../../../domain/plan.ts';
import { fromPublicId } from '../../../domain/public-ids.ts';
import { isTimeZone } from '../../../domain/time.ts';
import type { SealedReceipt } from '../../../evidence/receipt.ts';
import { receiptPdf } from '../../../evidence/receipt-pdf.ts';
import { reportPdf } from '../../../evidence/report-pdf.ts';
import { LANGUAGES } from '../../../messages/message.ts';
import { requestMessages } from '../../../messages/requests.ts';
import { dateOrNull, datetime, nextAfter, pageAfter, pageEnd, pageSize } from '../../../rest/fields.ts';
import { defineRoute, FileReply } from '../../../rest/route.ts';
import { nextSlice } from '../../../scheduling/slices.ts';
import { receiptLoader, receiptsLoader } from '../loader.ts';

const hash = z.string().describe('SHA-256, hexadecimal');

const source = z.enum(Object.keys(SOURCES) as [SourceName, ...SourceName[]]);

const receiptSource = z.object({
  check: z.enum(ALL_CHECKS),
  source,
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

const receiptFinding = z
  .object({
    check: z.enum(ALL_CHECKS),
    code: z.enum(FINDING_CODES),
    source,
    entry_id: z.string().nullable().describe('Id of the party on a sanctions list; on other lists the `id` of the record in GraphQL'),
    entry_name: z.string().nullable().describe('Name of the party as listed; null where records have no name'),
    detail: z
      .string()
      .nullable()
      .describe(
        'The programmes, the penalty, the kind of the fine, the year of the inspection, the state of the registration, or the year of the last renewal',
      ),
    body: z.string().nullable().describe('Body that imposed the penalty'),
    process_id: z.string().nullable(),
    amount: z.number().nullable().describe('Fine in BRL, fine of a Colombian contractor in COP, or tax debt in CLP'),
    starts_on: dateOrNull,
    ends_on: dateOrNull,
    status: z.enum(['active', 'ended']).nullable(),
    matched_on: z.enum(['tax_id', 'root']).nullable().describe('root: the record names another branch of the same legal person'),
  })
  .describe('A record that the verdict relies on. Texts are cut to 300 characters');

const receiptOwners = z
  .object({
    total: z.int().describe('Owners on record'),
    to_review: z.int().describe('Owners for whom the lists have candidates that the account has not dismissed'),
    by_tax_id: z.int().describe('Those of them whose own tax id is listed, or that of another branch'),
    not_compared: z.int().describe('Owners without a candidate that a list could not be read for'),
  })
  .describe('Numbers of owners, without names. They change no risk level');

/** Members that receipts of earlier versions lack. */
const EARLIER = 'absent in receipts of earlier versions';

/** A receipt with its hash and signature. */
export const sealedReceipt = z
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
      api_key_name: z.string().optional().describe(`Name of the API key at that time; ${EARLIER}`),
      company: z.object({
        country: z.string(),
        identifier: z.string(),
        name: z.string().nullable().optional().describe(`Legal name as the registry gives it; null if no registry gave one; ${EARLIER}`),
        status: z.enum(REGISTRATION_STATUSES).nullable().optional().describe(`Null if the registry failed; ${EARLIER}`),
      }),
      verdict: z.object({
        risk_level: z.enum(['low', 'medium', 'high']),
        completeness: z.enum(['complete', 'partial', 'insufficient']),
        risk_reasons: z.array(z.string()),
        sources_failed: z.array(z.enum(ALL_CHECKS)),
        rules_version: z.iso.date().optional().describe(`Date of the last change of the rules; ${EARLIER}`),
        generated_at: datetime,
      }),
      findings: z.array(receiptFinding).optional().describe(`The records behind the reasons, at most 100; ${EARLIER}`),
      findings_total: z.int().optional().describe(`Number of records, also of those beyond 100; ${EARLIER}`),
      owners: receiptOwners
        .nullable()
        .optional()
        .describe(`Null if their source failed, and in earlier receipts of Colombian companies; ${EARLIER}`),
      sources: z.array(receiptSource),
    }),
    content_hash: hash.describe('SHA-256 over the canonical JSON (RFC 8785) of `receipt`'),
    signature: z.string().describe('Ed25519 signature of the 32 bytes of `content_hash`, base64'),
    key_id: z.string().describe('The key that signed: a `kid` of `/.well-known/quipu-evidence-keys`'),
  })
  .meta({ id: 'Evidence' });

/** Casts away readonly for zod. */
export const toReceiptReply = (sealed: SealedReceipt): z.input<typeof sealedReceipt> => sealed as z.input<typeof sealedReceipt>;

/** GET /v1/evidence: a page of the receipts of the account, in the order of the chain. 422 for a malformed page. */
const listRoute = defineRoute({
  method: 'GET',
  path: '/v1/evidence',
  module: 'compliance_br',
  orModule: 'compliance',
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

/** Prints of a key. Each takes some 50 ms of the process, and no other price. */
const PRINT: LimitedAction = { name: 'evidence.print', rate: { perMinute: 120, burst: 120 } };

/**
 * GET /v1/evidence/{id}: a receipt of the account, as JSON, as PDF, or as a report about the company. 404 for a receipt that is unknown, of
 * another account, or deleted after its retention period. A report is written from the receipt alone.
 */
const findRoute = defineRoute({
  method: 'GET',
  path: '/v1/evidence/:id',
  module: 'compliance_br',
  orModule: 'compliance',
  operationId: 'getEvidence',
  summary: 'A receipt of a consolidated check, as JSON, PDF, or a report about the company.',
  errors: ['EVIDENCE_NOT_FOUND'],
  body: z.object({
    id: z.string().describe('`id` of the receipt'),
    format: z
      .enum(['json', 'pdf', 'report'], 'Give json, pdf or report.')
      .default('json')
      .describe('pdf: the receipt as a page; report: what it says about the company, as PDF. Both have the JSON attached'),
    language: z.enum(LANGUAGES, 'Give en, es or pt.').default('en').describe('Language of the PDF'),
    time_zone: z
      .string('Give the time zone as text.')
      .max(64, { error: 'A time zone is shorter than this.', abort: true })
      .refine(isTimeZone, 'Give a time zone of the IANA database, such as America/Sao_Paulo.')
      .default('UTC')
      .describe('IANA time zone of the reader, in which a PDF states times beside UTC'),
  }),
  reply: sealedReceipt,
  file: PDF,
  async handle({ id, format, language, time_zone: timeZone }, ctx) {
    const sealed = await ctx.read(receiptLoader, { accountId: ctx.caller.accountId, id: fromPublicId('evidence', id) });
    if (!sealed) throw new AppError('EVIDENCE_NOT_FOUND', requestMessages.receiptNotFound());
    if (format === 'json') return toReceiptReply(sealed);
    await ctx.limitAction(PRINT);
    if (format === 'report')
      return new FileReply({ type: PDF, name: `${id}-report.pdf`, content: await reportPdf(sealed, { language, timeZone }, nextSlice) });
    return new FileReply({ type: PDF, name: `${id}.pdf`, content: await receiptPdf(sealed, { language, timeZone }) });
  },
});

export const evidenceRoutes = [listRoute, findRoute];
