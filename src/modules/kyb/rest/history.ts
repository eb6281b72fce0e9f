import { z } from 'zod';
import { companyNotFound, formatTaxId, parseCompanyKey, requireCountry } from '../../../domain/company.ts';
import { parseNumberCursor, toNumberCursor } from '../../../domain/paging.ts';
import { country, dateOrNull, givenTaxId, identifier, nextAfter, pageAfter, pageEnd, pageSize } from '../../../rest/fields.ts';
import { defineRoute } from '../../../rest/route.ts';
import { HISTORY_COUNTRIES, HISTORY_FIELDS, type HistoryChange, type HistoryCountry, historyLoader } from '../loaders/history.ts';
import { historyFields } from '../service/history-fields.ts';

const text = z.string().nullable();
const field = z.enum(HISTORY_FIELDS);

const changeReply = z
  .object({
    field,
    before: text.describe(
      "Previous value: the registry's words, a decimal for the capital, a percentage for partner_share, the name of a partner that left; null for none",
    ),
    after: text.describe('New value, in the same forms'),
    before_code: text.describe('Code of the previous value; null for a value without a code'),
    after_code: text,
    establishment: text.describe('CNPJ of the establishment; null for a field of the legal person'),
    partner: z
      .object({
        name: z.string(),
        role: z.string(),
        entity_type: z
          .enum(['individual', 'company', 'natural_persons'])
          .describe('`natural_persons`, CL only: all natural persons together, without a name or an identifier'),
        identifier: text.describe('Masked CPF of a person, CNPJ or RUT of a company; null for most foreigners'),
        entry_date: dateOrNull,
        country: text,
        share: text.optional().describe('CL only: percentage after the change, before it for partner_left; null if it is not known'),
      })
      .nullable()
      .describe('Set for partner_joined, partner_left and partner_share'),
    extract_from: z.iso.date().describe('Date of the last extract with the previous value'),
    extract_to: z.iso.date().describe('Date of the first extract with the new value'),
  })
  .meta({ id: 'RegistryChange' });

/**
 * GET /v1/companies/{country}/{id}/history: the differences of a company between the extracts of the registry, newest first. 404
 * company_not_found, and no_record_then if no two extracts with the company were compared; 503 without an own copy of the registry.
 */
export const historyRoute = defineRoute({
  method: 'GET',
  path: '/v1/companies/:country/:id/history',
  module: historyLoader.module,
  operationId: 'getHistory',
  summary: 'Changes of a company between the monthly extracts of its tax registry (BR) or the yearly files of owners (CL), newest first.',
  errors: ['UNSUPPORTED_COUNTRY', 'COMPANY_NOT_FOUND', 'NO_RECORD_THEN', 'SOURCE_NOT_CONFIGURED', 'SOURCE_UNAVAILABLE'],
  body: z.object({
    country,
    id: identifier,
    fields: z
      .string()
      .max(500, 'Give fewer fields.')
      .transform((list) => list.split(','))
      .pipe(z.array(field))
      .optional()
      .describe('Names of fields, separated by commas; all that the key may read when omitted'),
    limit: pageSize,
    after: pageAfter,
  }),
  reply: z.object({
    identifier: givenTaxId,
    country: z.enum(HISTORY_COUNTRIES),
    fields: z.array(field).describe('The fields that the reply has'),
    covered_from: z.iso.date().describe('Date of the first extract that was compared: earlier changes are unknown'),
    covered_to: z.iso.date().describe('Date of the last extract that was compared: later changes are unknown'),
    coverage: z.string().optional().describe('CL only: a sentence on the yearly files that were compared'),
    coverage_code: z.string().optional().describe('CL only: code of the sentence, `coverage.ownersFiles`'),
    changes: z.array(changeReply),
    ...pageEnd,
    data_as_of: dateOrNull,
  }),
  async handle({ country, id, fields, limit, after }, ctx) {
    const company = parseCompanyKey(requireCountry(country, HISTORY_COUNTRIES, 'The history'), id);
    const page = { first: Number(limit), after: after === undefined ? null : parseNumberCursor('registry_change', after) };
    const request = { company, fields: historyFields(ctx, company.country, fields ?? null), ...page };
    const { value, freshness } = await ctx.ask(historyLoader, request);
    if (!value) throw companyNotFound(company.country, freshness.dataAsOf);
    return {
      identifier: id,
      country: company.country,
      fields: [...request.fields],
      covered_from: value.coveredFrom,
      covered_to: value.coveredTo,
      ...(value.coverage && { coverage: value.coverage.in(ctx.language), coverage_code: value.coverage.code }),
      changes: value.changes.map((change) => toReply(change, company.country)),
      has_more: value.hasMore,
      next_after: nextAfter(value.changes, ({ seq }) => toNumberCursor('registry_change', seq)),
      data_as_of: freshness.dataAsOf,
    };
  },
});

function toReply({ establishment, partner, ...change }: HistoryChange, country: HistoryCountry): z.input<typeof changeReply> {
  return {
    field: change.field,
    before: change.before,
    after: change.after,
    before_code: change.beforeCode,
    after_code: change.afterCode,
    establishment: establishment && formatTaxId({ country, taxId: establishment }),
    partner: partner && {
      name: partner.name,
      role: partner.role,
      entity_type: partner.entityType,
      identifier: partner.identifier,
      entry_date: partner.entryDate,
      country: partner.country,
      ...(country === 'CL' && { share: partner.share }),
    },
    extract_from: change.extractFrom,
    extract_to: change.extractTo,
  };
}
