import { z } from 'zod';
import { isoOrNull, isoWithOffset, monthOf } from '../domain/time.ts';
import { CURRENCY, isMonth, sum } from '../domain/usage.ts';
import type { SourceReport } from '../sources/build.ts';
import type { ListReport } from '../sources/source.ts';
import { dateOrNull, datetime } from './fields.ts';
import { defineRoute, type Route } from './route.ts';

const amount = z.string().describe('USD, an exact decimal');

/** GET /v1/usage: the usage of the key in a month by module, with prices. Needs no module. */
const usageRoute = defineRoute({
  method: 'GET',
  path: '/v1/usage',
  module: null,
  operationId: 'getUsage',
  summary: 'Usage of the key in a month by module, and the price of the overage.',
  errors: [],
  body: z.object({
    month: z.string().refine(isMonth, 'Give a month as YYYY-MM.').optional().describe('YYYY-MM, in UTC; the current month when omitted'),
  }),
  reply: z.object({
    month: z.string(),
    plan: z.string(),
    usage: z.array(
      z.object({
        module: z.string(),
        included: z.int().nullable().describe('Answers that the plan includes; null for no limit'),
        used: z.int().describe('Answers counted'),
        overage: z.int().describe('Answers above the included number'),
        overage_price: amount.nullable().describe('Price of each overage answer in USD; null for no price'),
        amount,
        currency: z.literal(CURRENCY),
      }),
    ),
    total_amount: amount,
    currency: z.literal(CURRENCY),
    refusals: z
      .object({ count: z.int(), since: datetime })
      .describe('Number of refusals of the key by rate limits, as counted by the process that answers. It does not depend on the month'),
  }),
  async handle({ month = '' }, ctx) {
    const requested = month || monthOf(ctx.startedAt);
    const usage = await ctx.usage(requested);
    const refusals = ctx.refusals();
    return {
      month: requested,
      plan: ctx.caller.plan,
      usage: usage.map(({ overagePrice, ...rest }) => ({ ...rest, overage_price: overagePrice })),
      total_amount: sum(usage.map(({ amount }) => amount)),
      currency: CURRENCY,
      refusals: { count: refusals.count, since: isoWithOffset(refusals.since) },
    };
  },
});

/** GET /v1/sources: health, freshness and attribution of every upstream. Needs no module. */
const sourcesRoute = defineRoute({
  method: 'GET',
  path: '/v1/sources',
  module: null,
  operationId: 'listSources',
  summary: 'Health, freshness and attribution of every upstream.',
  errors: [],
  body: z.object({}),
  reply: z.object({
    sources: z.array(
      z.object({
        name: z.string(),
        origin: z.enum(['sandbox', 'live', 'given']).describe('Origin from which it is read; given: an address set by the operator'),
        usable: z.boolean().describe('False if a call to the source would fail now'),
        circuit: z.enum(['closed', 'open', 'half_open']).describe('State of its circuit breaker'),
        last_success_at: datetime.nullable(),
        last_error_at: datetime.nullable(),
        last_error: z.string().nullable().describe('Class of the last failure, such as timeout'),
        list: z
          .object({
            published_on: dateOrNull,
            loaded_at: datetime,
            checked_at: datetime,
            sync_due_at: datetime.describe(
              'When the next sync is due, one interval after the last successful one. After this time the version is late',
            ),
            good_until: datetime.describe(
              'Until when the version is used. Without a successful sync before this time, the list is then a failed source',
            ),
            entries: z.int(),
            rows_unmatched: z.int().describe('Rows without a readable id'),
            checksum: z.string().describe('SHA-256'),
          })
          .nullable()
          .describe('Current version of a published list or of a copy of a registry; null for a live source and before the first load'),
        attribution: z.string().describe('Publisher and licence, to be shown wherever the data is'),
        recent_calls: z
          .object({
            calls: z.int(),
            failed: z.int(),
            latency_ms: z.int().nullable().describe('Median of the time to the answer, in milliseconds; null if no call was answered'),
          })
          .nullable()
          .describe('The last calls of a source, at most 100, by the process that answers; null before the first call, and for lists'),
        held_changes: z.int().describe('Changes of watched companies that are held until they are confirmed or released'),
      }),
    ),
  }),
  async handle(_, ctx) {
    const reports = await ctx.sources();
    return { sources: reports.map(toSourceReply) };
  },
});

const toSourceReply = (report: SourceReport) => ({
  ...toSourceStatus(report),
  list: report.list && { ...toListStatus(report.list), checksum: report.list.checksum },
  recent_calls: report.recentCalls
    ? { calls: report.recentCalls.calls, failed: report.recentCalls.failed, latency_ms: report.recentCalls.latencyMs }
    : null,
  held_changes: report.extras.heldChanges ?? 0,
});

/** Returns the public data of a source. The counts of modules per source, such as held changes, are not public. */
export const toSourceStatus = ({
  name,
  origin,
  usable,
  circuit,
  lastSuccessAt,
  lastErrorAt,
  lastError,
  list,
  attribution,
}: SourceReport) => ({
  name,
  origin,
  usable,
  circuit,
  last_success_at: isoOrNull(lastSuccessAt),
  last_error_at: isoOrNull(lastErrorAt),
  last_error: lastError,
  list: list && toListStatus(list),
  attribution,
});

const toListStatus = ({ publishedOn, loadedAt, checkedAt, syncDueAt, goodUntil, entries, rowsUnmatched }: ListReport) => ({
  published_on: publishedOn,
  loaded_at: isoWithOffset(loadedAt),
  checked_at: isoWithOffset(checkedAt),
  sync_due_at: isoWithOffset(syncDueAt),
  good_until: isoWithOffset(goodUntil),
  entries,
  rows_unmatched: rowsUnmatched,
});

/** Endpoints without a module. */
export const coreRoutes: readonly Route[] = [usageRoute, sourcesRoute];
