import { z } from 'zod';
import { companyRoute } from '../../rest/company-route.ts';
import { dateOrNull, datetime } from '../../rest/fields.ts';
import { LABOR_LISTS, type LaborRecord } from './domain.ts';
import { laborLoader } from './loader.ts';

const listName = z.enum(LABOR_LISTS);

export const laborRecordReply = z
  .object({
    source: listName,
    year: z.int(),
    workers_rescued: z.int(),
    state: z.string(),
    municipality: z.string().nullable(),
    activity: z.string(),
    decision_id: z.string().nullable(),
    employer: z.string(),
    establishment: z.string().nullable(),
    listed_on: dateOrNull,
    removed_on: dateOrNull,
    status: z.enum(['active', 'ended']),
    matched_on: z.enum(['cnpj', 'root']),
  })
  .meta({ id: 'LaborRecord' });

/** Converts a record to its form in `/v1`. */
export const toLaborRecordReply = (record: LaborRecord): z.input<typeof laborRecordReply> => ({
  source: record.source,
  year: record.year,
  workers_rescued: record.workersRescued,
  state: record.state,
  municipality: record.municipality,
  activity: record.activity,
  decision_id: record.decisionId,
  employer: record.employer,
  establishment: record.establishment,
  listed_on: record.listedOn,
  removed_on: record.removedOn,
  status: record.status,
  matched_on: record.matchedOn,
});

/**
 * POST /v1/labor: the forced-labour registry. The reply for an unknown CNPJ is 200 without records. 422 for a malformed identifier or
 * another country; 503 when the list cannot be read.
 */
export const laborRoute = companyRoute({
  path: '/v1/labor',
  operationId: 'checkLabor',
  summary: 'Brazilian registry of employers found using labour analogous to slavery.',
  loader: laborLoader,
  reply: z.object({
    identifier: z.string(),
    country: z.string(),
    has_violations: z.boolean(),
    records: z.array(laborRecordReply),
    sources_checked: z.array(listName),
    checked_at: datetime,
  }),
  toReply: ({ value }, { identifier, country, checkedAt }) => ({
    identifier,
    country,
    has_violations: value.hasViolations,
    records: value.records.map(toLaborRecordReply),
    sources_checked: [...value.sourcesChecked],
    checked_at: checkedAt,
  }),
});
