import { z } from 'zod';
import { parseCompanyKey, requireCountry } from '../../domain/company.ts';
import { isoWithOffset } from '../../domain/time.ts';
import { country, dateOrNull, datetime, identifier } from '../../rest/fields.ts';
import { defineRoute } from '../../rest/route.ts';
import type { LaborRecord } from './domain.ts';
import { laborLoader } from './loader.ts';

export const laborRecordReply = z.object({
  source: z.enum(['TRABALHO_ESCRAVO']),
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
});

/** LaborRecord → the `/v1` record. */
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

/** POST /v1/labor: the forced-labour registry. An unknown CNPJ is 200 with no records. 422 malformed or other country; 503 list not seen. */
export const laborRoute = defineRoute({
  method: 'POST',
  path: '/v1/labor',
  module: 'labor',
  summary: 'Brazilian registry of employers found using labour analogous to slavery.',
  body: z.object({ identifier, country }),
  reply: z.object({
    identifier: z.string(),
    country: z.string(),
    has_violations: z.boolean(),
    records: z.array(laborRecordReply),
    sources_checked: z.array(z.enum(['TRABALHO_ESCRAVO'])),
    checked_at: datetime,
  }),
  async handle(body, ctx) {
    const key = parseCompanyKey(requireCountry(body.country, ['BR'], 'The forced-labour registry'), body.identifier);
    const { value } = await ctx.ask(laborLoader, key);
    return {
      identifier: body.identifier,
      country: body.country,
      has_violations: value.hasViolations,
      records: value.records.map(toLaborRecordReply),
      sources_checked: [...value.sourcesChecked],
      checked_at: isoWithOffset(ctx.now()),
    };
  },
});
