import { z } from 'zod';
import { monthOf } from '../domain/time.ts';
import { CURRENCY, isMonth, sum } from '../domain/usage.ts';
import { defineRoute, type Route } from './route.ts';

const amount = z.string().describe('USD, an exact decimal');

/** GET /v1/usage: the usage of the key in a month by module, with prices. Needs no module. */
const usageRoute = defineRoute({
  method: 'GET',
  path: '/v1/usage',
  module: null,
  operationId: 'getUsage',
  summary: 'What the key used in a month, module by module, and the price of what is beyond the plan.',
  errors: [],
  body: z.object({
    month: z.string().refine(isMonth, 'Give a month as YYYY-MM.').optional().describe('YYYY-MM, in UTC; the current month where left out'),
  }),
  reply: z.object({
    month: z.string(),
    plan: z.string(),
    usage: z.array(
      z.object({
        module: z.string(),
        included: z.int().nullable().describe('Answers that the plan includes; null for no limit'),
        used: z.int().describe('Answers counted'),
        overage: z.int().describe('Those beyond the included ones'),
        overage_price: amount.nullable().describe('USD of each one beyond; null where it has no price'),
        amount,
        currency: z.literal(CURRENCY),
      }),
    ),
    total_amount: amount,
    currency: z.literal(CURRENCY),
  }),
  async handle({ month = '' }, ctx) {
    const requested = month || monthOf(ctx.startedAt);
    const usage = await ctx.usage(requested);
    return {
      month: requested,
      plan: ctx.caller.plan,
      usage: usage.map(({ overagePrice, ...rest }) => ({ ...rest, overage_price: overagePrice })),
      total_amount: sum(usage.map(({ amount }) => amount)),
      currency: CURRENCY,
    };
  },
});

/** Endpoints without a module. */
export const coreRoutes: readonly Route[] = [usageRoute];
