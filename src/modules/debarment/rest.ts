import { z } from 'zod';
import { parseCompanyKey, requireCountry } from '../../domain/company.ts';
import { isoWithOffset } from '../../domain/time.ts';
import { country, dateOrNull, datetime, identifier } from '../../rest/fields.ts';
import { defineRoute } from '../../rest/route.ts';
import type { DebarmentRecord } from './domain.ts';
import { debarmentLoader } from './loader.ts';

export const debarmentRecordReply = z.object({
  source: z.enum(['CEIS', 'CNEP']),
  sanction_type: z.string(),
  sanctioning_body: z.string(),
  date_start: dateOrNull,
  date_end: dateOrNull,
  process_id: z.string().nullable(),
  fine_amount: z.number().nullable().describe('BRL; CNEP only'),
  status: z.enum(['active', 'ended']),
  matched_on: z.enum(['cnpj', 'root']),
});

/** DebarmentRecord → the `/v1` record. */
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
});

/** POST /v1/debarment: CEIS and CNEP. An unknown CNPJ is 200 with no records. 422 malformed or other country; 503 a list could not be seen. */
export const debarmentRoute = defineRoute({
  method: 'POST',
  path: '/v1/debarment',
  module: 'debarment',
  summary: 'Bans from public contracts and anti-corruption penalties in Brazil (CEIS, CNEP).',
  body: z.object({ identifier, country }),
  reply: z.object({
    identifier: z.string(),
    country: z.string(),
    is_debarred: z.boolean(),
    records: z.array(debarmentRecordReply),
    sources_checked: z.array(z.enum(['CEIS', 'CNEP'])),
    checked_at: datetime,
  }),
  async handle(body, ctx) {
    const key = parseCompanyKey(requireCountry(body.country, ['BR'], 'Debarment'), body.identifier);
    const { value } = await ctx.ask(debarmentLoader, key);
    return {
      identifier: body.identifier,
      country: body.country,
      is_debarred: value.isDebarred,
      records: value.records.map(toDebarmentRecordReply),
      sources_checked: [...value.sourcesChecked],
      checked_at: isoWithOffset(ctx.now()),
    };
  },
});
