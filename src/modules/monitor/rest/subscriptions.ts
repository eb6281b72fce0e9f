import { z } from 'zod';
import { requireCountry } from '../../../domain/company.ts';
import { toTimeCursor } from '../../../domain/paging.ts';
import { toPublicId } from '../../../domain/public-ids.ts';
import { unlessWebhook, unlessWebhookChanges } from '../../../domain/roles.ts';
import { isoWithOffset } from '../../../domain/time.ts';
import { LANGUAGES } from '../../../messages/message.ts';
import { country, datetime, flag, identifierList, nextAfter, pageAfter, pageEnd, pageSize, taxIds } from '../../../rest/fields.ts';
import { defineRoute } from '../../../rest/route.ts';
import { WEBHOOK_FORMATS } from '../../../webhooks/domain/chat-message.ts';
import { type Monitor, WATCHED_COUNTRIES } from '../domain/monitor.ts';
import { monitorLoader } from '../loader.ts';
import { monitorService } from '../service/monitor.ts';
import { readPosition } from './positions.ts';

export const subscriptionReply = z
  .object({
    subscription_id: z.string(),
    identifiers: z.array(z.string()),
    country: z.enum(WATCHED_COUNTRIES),
    webhook_url: z.string().describe('Empty for a subscription without a webhook, which only GraphQL creates'),
    status: z.enum(['active', 'cancelled']),
    created_at: datetime,
    retry_policy: z.enum(['none', 'standard']),
    list_news: z.boolean(),
    webhook_format: z.enum(WEBHOOK_FORMATS).optional().describe('Format of the events that are sent'),
    webhook_language: z.enum(LANGUAGES).optional().describe('Language of the events if people read them: slack and teams'),
    record_news: z.boolean().optional(),
    candidate_news: z.boolean().optional(),
    endpoint_state: z
      .enum(['active', 'failing', 'disabled'])
      .describe('State of the webhook; failing: its last attempts failed; disabled: no event is sent'),
    held_changes: z.int().describe('Changes of its companies that are held until they are confirmed or released'),
  })
  .meta({ id: 'Subscription' });

export const toReply = (monitor: Monitor): z.input<typeof subscriptionReply> => ({
  subscription_id: toPublicId('monitor', monitor.id),
  identifiers: [...monitor.identifiers],
  country: monitor.country,
  webhook_url: monitor.webhookUrl ?? '',
  status: monitor.status,
  created_at: isoWithOffset(monitor.createdAt),
  retry_policy: monitor.retryPolicy,
  list_news: monitor.listNews,
  webhook_format: monitor.webhookFormat,
  webhook_language: monitor.webhookLanguage,
  record_news: monitor.recordNews,
  candidate_news: monitor.candidateNews,
  endpoint_state: monitor.endpointState,
  held_changes: monitor.heldChanges,
});

const webhookUrl = z.string('Give the URL as text.').describe('URL to which changes are sent');
const retryPolicy = z
  .enum(['none', 'standard'], 'Give none or standard.')
  .describe('none: one attempt per change; standard: further attempts for three days');
const webhookFormat = z
  .enum(WEBHOOK_FORMATS, 'Give standard, slack or teams.')
  .describe('standard: the signed JSON of this API; slack, teams: a message for people in a chat');
const webhookLanguage = z.enum(LANGUAGES, 'Give en, es or pt.').describe('Language of the events if people read them: slack and teams');
const listNews = flag(z.boolean('Give true or false.')).describe('true: changes of sanctions, debarment and labour lists are sent, too');
const recordNews = flag(z.boolean('Give true or false.')).describe(
  'true: changes of name, owners, capital, address and special situation are sent and listed, too',
);
const candidateNews = flag(z.boolean('Give true or false.')).describe(
  'true: the monitor also reports new and changed records of sanctions lists with a name similar to that of a company',
);

export const subscriptionId = z.string().describe('subscription_id');

/** Countries of the contract. Monitors of Colombian companies are created by GraphQL; all other endpoints serve them, too. */
const CREATED_HERE = ['BR', 'CL'] as const;

/**
 * POST /v1/monitor/subscriptions: creates a monitor. 422 for malformed ids, more than 500 ids, Colombian ids, and a URL that cannot
 * receive webhooks.
 */
const createRoute = defineRoute({
  method: 'POST',
  path: '/v1/monitor/subscriptions',
  module: 'monitor',
  role: unlessWebhook('webhook_url'),
  operationId: 'createSubscription',
  summary: 'Watch companies; changes of status, size or activity are sent to a webhook.',
  errors: ['UNSUPPORTED_COUNTRY', 'PLAN_LIMIT_REACHED'],
  body: z.object({
    identifiers: identifierList(taxIds.describe('1 to 500 tax ids')),
    country,
    webhook_url: webhookUrl,
    retry_policy: retryPolicy.default('none'),
    webhook_format: webhookFormat.default('standard'),
    webhook_language: webhookLanguage.default('en'),
    list_news: listNews.default(false),
    record_news: recordNews.default(false),
    candidate_news: candidateNews.default(false),
  }),
  reply: subscriptionReply.extend({ secret: z.string().describe('Secret that signs the webhooks; returned only once') }),
  async handle(body, ctx) {
    const { monitor, secret } = await ctx.open(monitorService).monitors.create(
      ctx.caller,
      {
        identifiers: body.identifiers,
        country: requireCountry(body.country, CREATED_HERE, 'Monitoring over REST'),
        webhookUrl: body.webhook_url,
        retryPolicy: body.retry_policy,
        webhookFormat: body.webhook_format,
        webhookLanguage: body.webhook_language,
        listNews: body.list_news,
        recordNews: body.record_news,
        candidateNews: body.candidate_news,
      },
      ctx.watch,
    );
    return { ...toReply(monitor), secret };
  },
});

/** GET /v1/monitor/subscriptions: a page of the active monitors, newest first. 422 for a malformed page. */
const listRoute = defineRoute({
  method: 'GET',
  path: '/v1/monitor/subscriptions',
  module: 'monitor',
  operationId: 'listSubscriptions',
  summary: 'Active subscriptions of the key, newest first.',
  errors: [],
  body: z.object({
    limit: pageSize.describe('Subscriptions per page, 1 to 100'),
    after: pageAfter.describe('next_after of the previous page, or the subscription_id of its last item; the first page when omitted'),
  }),
  reply: z.object({
    subscriptions: z.array(subscriptionReply),
    total: z.int().describe('All active subscriptions of the key'),
    ...pageEnd,
  }),
  async handle({ limit, after }, ctx) {
    const { keyId } = ctx.caller;
    const position = await readPosition('monitor', after, (id) => ctx.read(monitorLoader, { keyId, id }));
    const page = { first: Number(limit), after: position };
    const { items, hasMore, total } = await ctx.open(monitorService).monitors.list(ctx.caller, page);
    const next_after = nextAfter(items, (monitor) => toTimeCursor('monitor', monitor));
    return { subscriptions: items.map(toReply), total, has_more: hasMore, next_after };
  },
});

/** GET /v1/monitor/subscriptions/{id}: a monitor, active or cancelled. 404 for a monitor that is unknown or of another key. */
const findRoute = defineRoute({
  method: 'GET',
  path: '/v1/monitor/subscriptions/:id',
  module: 'monitor',
  operationId: 'getSubscription',
  summary: 'One subscription, active or cancelled.',
  errors: ['MONITOR_NOT_FOUND'],
  body: z.object({ id: subscriptionId }),
  reply: subscriptionReply,
  handle: async ({ id }, ctx) => toReply(await ctx.open(monitorService).monitors.find(ctx.caller, id)),
});

/**
 * PATCH /v1/monitor/subscriptions/{id}: changes a monitor. 422 as for its creation; 404 for a monitor that is unknown, cancelled or of
 * another key.
 */
const updateRoute = defineRoute({
  method: 'PATCH',
  path: '/v1/monitor/subscriptions/:id',
  module: 'monitor',
  role: unlessWebhookChanges('webhook_url', 'webhook_format', 'webhook_language'),
  operationId: 'updateSubscription',
  summary: 'Change the companies, the webhook or the settings of a subscription. An omitted field is not changed.',
  errors: ['MONITOR_NOT_FOUND', 'PLAN_LIMIT_REACHED'],
  body: z.object({
    id: subscriptionId,
    add_identifiers: identifierList(taxIds).optional().describe('Tax ids to add; tax ids that are watched already are ignored'),
    remove_identifiers: identifierList(taxIds).optional().describe('Tax ids to remove; tax ids that are not watched are ignored'),
    webhook_url: webhookUrl.optional(),
    retry_policy: retryPolicy.optional(),
    webhook_format: webhookFormat.optional(),
    webhook_language: webhookLanguage.optional(),
    list_news: listNews.optional(),
    record_news: recordNews.optional(),
    candidate_news: candidateNews.optional(),
  }),
  reply: subscriptionReply,
  async handle({ id, ...body }, ctx) {
    const input = {
      addIdentifiers: body.add_identifiers,
      removeIdentifiers: body.remove_identifiers,
      webhookUrl: body.webhook_url,
      retryPolicy: body.retry_policy,
      webhookFormat: body.webhook_format,
      webhookLanguage: body.webhook_language,
      listNews: body.list_news,
      recordNews: body.record_news,
      candidateNews: body.candidate_news,
    };
    return toReply(await ctx.open(monitorService).monitors.update(ctx.caller, id, input, ctx.watch));
  },
});

/** DELETE /v1/monitor/subscriptions/{id}: cancels a monitor. 404 for a monitor that is unknown, cancelled or of another key. */
const cancelRoute = defineRoute({
  method: 'DELETE',
  path: '/v1/monitor/subscriptions/:id',
  module: 'monitor',
  role: 'decide',
  operationId: 'cancelSubscription',
  summary: 'Cancel a subscription: no new event is sent.',
  errors: ['MONITOR_NOT_FOUND'],
  body: z.object({ id: subscriptionId }),
  reply: z.object({ subscription_id: z.string(), status: z.literal('cancelled'), cancelled_at: datetime }),
  async handle({ id }, ctx) {
    const { cancelledAt } = await ctx.open(monitorService).monitors.cancel(ctx.caller, id);
    return { subscription_id: id, status: 'cancelled' as const, cancelled_at: isoWithOffset(cancelledAt ?? ctx.now()) };
  },
});

export const subscriptionRoutes = [createRoute, listRoute, findRoute, updateRoute, cancelRoute];
