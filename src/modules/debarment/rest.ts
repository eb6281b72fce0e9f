import { z } from 'zod';
import { parseCompanyKey, requireCountry } from '../../domain/company.ts';
import { isoWithOffset } from '../../domain/time.ts';
import { companyBody } from '../../rest/company-route.ts';
import { dateOrNull, datetime } from '../../rest/fields.ts';
import { defineRoute } from '../../rest/route.ts';
import { DEBARMENT_LISTS, type DebarmentRecord, type LeniencyAgreement, OPTIONAL_BAN_LISTS, OPTIONAL_DEBARMENT_LISTS } from './domain.ts';
import { debarmentLoader, debarmentLoaderOf } from './loader.ts';

const matchedOn = z.enum(['cnpj', 'root']);
const ofOptionalLists = 'Absent on CEIS and CNEP';

export const debarmentRecordReply = z
  .object({
    source: z.enum([...DEBARMENT_LISTS, ...OPTIONAL_BAN_LISTS]).describe('CEIS or CNEP, or a chosen list'),
    sanction_type: z.string(),
    sanctioning_body: z.string(),
    date_start: dateOrNull,
    date_end: dateOrNull,
    process_id: z.string().nullable(),
    fine_amount: z.number().nullable().describe('BRL; CNEP only'),
    status: z.enum(['active', 'ended']),
    matched_on: matchedOn,
    reference: z
      .string()
      .nullable()
      .optional()
      .describe(`Number of the agreement (CEPIM) or of the decision (TCU_INIDONEOS). ${ofOptionalLists}`),
    reason: z.string().nullable().optional().describe(`Reason as printed; CEPIM only. ${ofOptionalLists}`),
    end_text: z.string().nullable().optional().describe(`The text that BCB_PROIBIDOS prints in place of an end date. ${ofOptionalLists}`),
  })
  .meta({ id: 'DebarmentRecord' });

const agreementReply = z
  .object({
    company_name: z.string(),
    date_start: dateOrNull,
    date_end: dateOrNull,
    situation: z.string().describe('The printed text, in Portuguese'),
    process_id: z.string().nullable(),
    body: z.string().describe('Body that made the agreement'),
    effects: z.array(z.object({ effect: z.string(), complement: z.string().nullable() })),
    matched_on: matchedOn,
  })
  .meta({ id: 'LeniencyAgreement' });

/** Converts a record to its form in `/v1`. */
export const toDebarmentRecordReply = (record: DebarmentRecord): z.input<typeof debarmentRecordReply> => ({
  source: record.source,
  sanction_type: record.sanctionType,
  sanctioning_body: record.sanctioningBody,
  date_start: record.dateStart,
  date_end: record.dateEnd,
  process_id: record.processId,
  fine_amount: record.fineAmount,
  status: record.status,
  matched_on: record.matchedOn,
  ...(record.reference !== undefined && { reference: record.reference }),
  ...(record.reason !== undefined && { reason: record.reason }),
  ...(record.endText !== undefined && { end_text: record.endText }),
});

const toAgreementReply = (agreement: LeniencyAgreement): z.input<typeof agreementReply> => ({
  company_name: agreement.companyName,
  date_start: agreement.dateStart,
  date_end: agreement.dateEnd,
  situation: agreement.situation,
  process_id: agreement.processId,
  body: agreement.body,
  effects: agreement.effects.map(({ effect, complement }) => ({ effect, complement })),
  matched_on: agreement.matchedOn,
});

/**
 * POST /v1/debarment: CEIS, CNEP and the lists of `include`, or those that the account has chosen. The reply for an unknown CNPJ is 200
 * without records. 422 for a malformed identifier, another country or an unknown list; 503 when a list cannot be read and no other has a
 * record by which the company is debarred.
 */
export const debarmentRoute = defineRoute({
  method: 'POST',
  path: '/v1/debarment',
  module: debarmentLoader.module,
  operationId: 'checkDebarment',
  summary: 'Bans from public contracts and anti-corruption penalties in Brazil (CEIS, CNEP), and further lists by choice.',
  errors: ['UNSUPPORTED_COUNTRY', 'SOURCE_UNAVAILABLE'],
  body: companyBody.extend({
    include: z
      .array(z.enum(OPTIONAL_DEBARMENT_LISTS, `Give names of lists: ${OPTIONAL_DEBARMENT_LISTS.join(', ')}.`))
      .max(OPTIONAL_DEBARMENT_LISTS.length)
      .optional()
      .describe('Lists to read besides CEIS and CNEP; without it, those that the account has chosen'),
  }),
  reply: z.object({
    identifier: z.string(),
    country: z.string(),
    is_debarred: z.boolean().describe('True for any record of CEIS or CNEP, and for one in force of a chosen list'),
    records: z.array(debarmentRecordReply),
    agreements: z
      .array(agreementReply)
      .optional()
      .describe('Leniency agreements, which are no ban; absent unless ACORDO_LENIENCIA was chosen and read'),
    sources_checked: z.array(z.enum([...DEBARMENT_LISTS, ...OPTIONAL_DEBARMENT_LISTS])),
    checked_at: datetime,
  }),
  async handle({ identifier, country, include }, ctx) {
    const loader = debarmentLoaderOf(include ?? ctx.caller.lists.answers);
    const company = parseCompanyKey(requireCountry(country, loader.countries, loader.subject), identifier);
    const { value } = await ctx.ask(loader, company);
    return {
      identifier,
      country,
      is_debarred: value.isDebarred,
      records: value.records.map(toDebarmentRecordReply),
      ...(value.agreements && { agreements: value.agreements.map(toAgreementReply) }),
      sources_checked: [...value.sourcesChecked],
      checked_at: isoWithOffset(ctx.now()),
    };
  },
});
