import { MODULES, type ModuleName } from '../domain/catalogue.ts';
import type { CostTerms, ModuleLimit, ModuleTerms, Plan, WatchTerms } from '../domain/plan.ts';

/** Plans from QUIPU_PLANS, by name. Omitted modules and fields have the values of the standard plan. */
export type GivenPlans = Readonly<Record<string, GivenPlan>>;

type GivenPlan = Readonly<Partial<Record<ModuleName, Readonly<Partial<ModuleTerms>>>>> & {
  readonly graphql?: Readonly<Partial<CostTerms>>;
  readonly watch?: Readonly<Partial<WatchTerms>>;
};

/** Plan name → plan. */
export type PlanOf = (name: string) => Plan;

export const STANDARD = 'standard';

/** Usage is recorded, without a price or a limit. */
const UNLIMITED: ModuleTerms = { included: null, overagePrice: null, rate: null };

/** The ceiling admits 500 companies with every check in one operation, but not 1,000. */
const GRAPHQL: CostTerms = { ceiling: 10_000, perMinute: 60_000, burst: 50_000 };

const WATCH: WatchTerms = { monitors: 100, companies: 500 };

const standard: Plan = {
  graphql: GRAPHQL,
  watch: WATCH,
  ...(Object.fromEntries(MODULES.map((module) => [module, UNLIMITED])) as Record<ModuleName, ModuleTerms>),
  compliance_br: { included: 500, overagePrice: '0.30', rate: { perMinute: 60, burst: 20 } },
};

/** The standard plan and the given ones. A key whose plan no longer exists gets the standard plan. */
export function createPlans(given: GivenPlans = {}): PlanOf {
  const base = withChanges(standard, given[STANDARD]);
  const plans = new Map(Object.entries(given).map(([name, changes]) => [name, withChanges(base, changes)]));
  return (name) => plans.get(name) ?? base;
}

/** The plan's rate limits for these modules. */
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
