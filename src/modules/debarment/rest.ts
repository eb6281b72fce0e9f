import { z } from 'zod';
import { companyRoute } from '../../rest/company-route.ts';
import { dateOrNull, datetime } from '../../rest/fields.ts';
import { DEBARMENT_LISTS, type DebarmentRecord } from './domain.ts';
import { debarmentLoader } from './loader.ts';

const listName = z.enum(DEBARMENT_LISTS);

export const debarmentRecordReply = z
  .object({
    source: listName,
    sanction_type: z.string(),
    sanctioning_body: z.string(),
    date_start: dateOrNull,
    date_end: dateOrNull,
    process_id: z.string().nullable(),
    fine_amount: z.number().nullable().describe('BRL; CNEP only'),
    status: z.enum(['active', 'ended']),
    matched_on: z.enum(['cnpj', 'root']),
  })
  .meta({ id: 'DebarmentRecord' });

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
});

/**
 * POST /v1/debarment: CEIS and CNEP. The reply for an unknown CNPJ is 200 without records. 422 for a malformed identifier or another
 * country; 503 when a list cannot be read and the other has no record.
 */
export const debarmentRoute = companyRoute({
  path: '/v1/debarment',
  operationId: 'checkDebarment',
  summary: 'Bans from public contracts and anti-corruption penalties in Brazil (CEIS, CNEP).',
  loader: debarmentLoader,
  reply: z.object({
    identifier: z.string(),
    country: z.string(),
    is_debarred: z.boolean(),
    records: z.array(debarmentRecordReply),
    sources_checked: z.array(listName),
    checked_at: datetime,
  }),
  toReply: ({ value }, { identifier, country, checkedAt }) => ({
    identifier,
    country,
    is_debarred: value.isDebarred,
    records: value.records.map(toDebarmentRecordReply),
    sources_checked: [...value.sourcesChecked],
    checked_at: checkedAt,
  }),
});
