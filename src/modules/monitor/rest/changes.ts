import { z } from 'zod';
import type { RequestContext } from '../../../context.ts';
import { toPublicId } from '../../../domain/public-ids.ts';
import { isoWithOffset } from '../../../domain/time.ts';
import { datetime, pageAfter, pageSize } from '../../../rest/fields.ts';
import { defineRoute } from '../../../rest/route.ts';
import { type Change, withoutRecord } from '../domain/change.ts';
import { endCursorOf, parseChangeCursor, toChangeCursor } from '../domain/log-position.ts';
import { WATCHED_COUNTRIES } from '../domain/monitor.ts';
import { monitorLoader } from '../loader.ts';
import { readLog } from '../loaders/log-page.ts';
import { monitorService } from '../service/monitor.ts';
import { subscriptionId } from './subscriptions.ts';

const changeReply = z
  .object({
    event_id: z.string().describe('The webhook-id of its delivery'),
    observation_id: z.string().describe('Id of the observation, equal for all subscriptions that report it'),
    subscription_id: z.string(),
    identifier: z.string().describe('Tax id as it was given for the subscription'),
    country: z.enum(WATCHED_COUNTRIES),
    source: z.string().describe('The registry or list that reported it'),
    changed_fields: z
      .record(z.string(), z.object({ from: z.string().nullable(), to: z.string().nullable() }))
      .describe('Field → its previous and its new value'),
    detected_at: datetime,
    cursor: z.string(),
  })
  .meta({ id: 'Change' });

const toReply = ({ id, observationId, monitorId, identifier, company, source, fields, detectedAt, ...at }: Change) => ({
  event_id: toPublicId('change', id),
  observation_id: toPublicId('observation', observationId),
  subscription_id: toPublicId('monitor', monitorId),
  identifier,
  country: company.country,
  source,
  changed_fields: Object.fromEntries(fields.map(({ field, from, to }) => [field, { from, to }])),
  detected_at: isoWithOffset(detectedAt),
  cursor: toChangeCursor(at),
});

/** Returns the changes without the fields that their monitors report only with `record_news`, and without changes of these fields alone. */
async function reported(changes: readonly Change[], ctx: RequestContext): Promise<readonly Change[]> {
  const { keyId } = ctx.caller;
  const monitors = await Promise.all(changes.map(({ monitorId: id }) => ctx.read(monitorLoader, { keyId, id })));
  return changes
    .map((change, i) => (monitors[i]?.recordNews ? change : { ...change, fields: withoutRecord(change.fields) }))
    .filter(({ fields }) => fields.length > 0);
}

/** GET /v1/changes: the change log of the key, oldest first. 422 for a malformed cursor; 410 when changes after it are deleted. */
export const changesRoute = defineRoute({
  method: 'GET',
  path: '/v1/changes',
  module: 'monitor',
  operationId: 'listChanges',
  summary: 'Changes of the watched companies after a cursor, oldest first: for callers that poll.',
  errors: ['MONITOR_NOT_FOUND', 'CURSOR_TOO_OLD'],
  body: z.object({
    after: pageAfter.describe('next_after of the previous reply, or a cursor; the log begins with the oldest stored change when omitted'),
    limit: pageSize,
    subscription_id: subscriptionId.optional().describe('Only changes of this subscription'),
  }),
  reply: z.object({
    changes: z.array(changeReply),
    has_more: z.boolean().describe('True if more changes follow this page'),
    next_after: z.string().describe('Pass it as `after` in the next request, also after an empty reply'),
  }),
  async handle({ after, limit, subscription_id: id }, ctx) {
    const monitor = id === undefined ? null : await ctx.open(monitorService).monitors.find(ctx.caller, id);
    const start = after === undefined ? null : parseChangeCursor(after);
    const page = await readLog({ first: Number(limit), after: start, ...(monitor && { monitorIds: [monitor.id] }) }, ctx);
    const last = page.hasMore ? page.items.at(-1) : undefined;
    const changes = await reported(page.items, ctx);
    return { changes: changes.map(toReply), has_more: page.hasMore, next_after: last ? toChangeCursor(last) : endCursorOf(page) };
  },
});
