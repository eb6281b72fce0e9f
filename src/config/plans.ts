import { z } from 'zod';
import { MODULES } from '../domain/catalogue.ts';
import type { GivenPlans } from '../domain/plan.ts';
import { PRICE } from '../domain/usage.ts';

const count = z.int().min(1).max(1_000_000);

const terms = z.strictObject({
  included: z.int().min(0).nullable().optional(),
  overagePrice: z.string().regex(PRICE, 'expected a decimal text such as "0.30"').nullable().optional(),
  rate: z.strictObject({ perMinute: count, burst: count }).nullable().optional(),
});

const points = z.int().min(1).max(1_000_000_000);

const cost = z.strictObject({ ceiling: points.optional(), perMinute: points.optional(), burst: points.optional() });

const watch = z.strictObject({ monitors: count.optional(), companies: count.optional() });

const modules = Object.fromEntries(MODULES.map((module) => [module, terms.optional()]));

const plans = z.record(
  z.string().regex(/^[a-z][a-z0-9_-]{0,31}$/, 'expected a name such as "standard"'),
  z.strictObject({ ...modules, graphql: cost.optional(), watch: watch.optional() }),
);

/** The JSON of QUIPU_PLANS → plans. Error messages name the path, such as `standard.compliance_br.rate`, and contain no values. */
export const plansSetting = z
  .string()
  .transform((text, context): GivenPlans => {
    const read = plans.safeParse(jsonOf(text));
    if (read.success) return read.data as GivenPlans;
    for (const { path, message } of read.error.issues)
      context.addIssue({ code: 'custom', message: `${path.length > 0 ? `at ${path.join('.')}: ` : ''}${message}` });
    return z.NEVER;
  })
  .optional();

/** Undefined, which no schema accepts, for invalid JSON. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
