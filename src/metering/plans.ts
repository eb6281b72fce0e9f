import { MODULES, type ModuleName } from '../domain/catalogue.ts';
import type { CostTerms, GivenPlan, GivenPlans, ModuleLimit, ModuleTerms, Plan, PlanOf, WatchTerms } from '../domain/plan.ts';

export const STANDARD = 'standard';

/** Terms without a price or a limit. Usage is recorded. */
const UNLIMITED: ModuleTerms = { included: null, overagePrice: null, rate: null };

/** Cost terms of the standard plan. The ceiling admits 500 companies with every check in one operation, but not 1,000. */
const GRAPHQL: CostTerms = { ceiling: 10_000, perMinute: 60_000, burst: 50_000 };

const WATCH: WatchTerms = { monitors: 100, companies: 500 };

/** Terms of a consolidated check, in every country. */
const CONSOLIDATED: ModuleTerms = { included: 500, overagePrice: '0.30', rate: { perMinute: 60, burst: 20 } };

const standard: Plan = {
  graphql: GRAPHQL,
  watch: WATCH,
  ...(Object.fromEntries(MODULES.map((module) => [module, UNLIMITED])) as Record<ModuleName, ModuleTerms>),
  compliance_br: CONSOLIDATED,
  compliance: CONSOLIDATED,
};

/** Returns the plan by name: the standard plan or a given one. A key whose plan no longer exists gets the standard plan. */
export function createPlans(given: GivenPlans = {}): PlanOf {
  const base = withChanges(standard, given[STANDARD]);
  const plans = new Map(Object.entries(given).map(([name, changes]) => [name, withChanges(base, changes)]));
  return (name) => plans.get(name) ?? base;
}

/** Returns the plan's rate limits for these modules. */
export const limitsOf = (plan: Plan, modules: ReadonlySet<ModuleName>): readonly ModuleLimit[] =>
  MODULES.flatMap((module) => {
    const { rate } = plan[module];
    return rate && modules.has(module) ? [{ module, ...rate }] : [];
  });

const withChanges = (plan: Plan, changes: GivenPlan = {}): Plan => ({
  ...(Object.fromEntries(MODULES.map((module) => [module, { ...plan[module], ...changes[module] }])) as Record<ModuleName, ModuleTerms>),
  graphql: { ...plan.graphql, ...changes.graphql },
  watch: { ...plan.watch, ...changes.watch },
});
