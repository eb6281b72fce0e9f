import { MODULES, type ModuleName } from '../domain/modules.ts';
import type { CostTerms, ModuleLimit, ModuleTerms, Plan } from '../domain/plan.ts';

/** What a setting changes of the plans, plan by plan and module by module; what it leaves out stays as in the standard plan. */
export type GivenPlans = Readonly<Record<string, GivenPlan>>;

type GivenPlan = Readonly<Partial<Record<ModuleName, Readonly<Partial<ModuleTerms>>>>> & {
  readonly graphql?: Readonly<Partial<CostTerms>>;
};

/** Plan name → plan. */
export type PlanOf = (name: string) => Plan;

export const STANDARD = 'standard';

/** Counted, and neither priced nor limited. */
const OPEN: ModuleTerms = { included: null, overagePrice: null, rate: null };

/** Five hundred companies with every check are within the ceiling, and no second such list. */
const GRAPHQL: CostTerms = { ceiling: 10_000, perMinute: 60_000, burst: 50_000 };

const standard: Plan = {
  graphql: GRAPHQL,
  ...(Object.fromEntries(MODULES.map((module) => [module, OPEN])) as Record<ModuleName, ModuleTerms>),
  compliance_br: { included: 500, overagePrice: '0.30', rate: { perMinute: 60, burst: 20 } },
};

/** The standard plan and those that are given. A key whose plan is not there any more has the standard one. */
export function createPlans(given: GivenPlans = {}): PlanOf {
  const base = changed(standard, given[STANDARD]);
  const plans = new Map(Object.entries(given).map(([name, changes]) => [name, changed(base, changes)]));
  return (name) => plans.get(name) ?? base;
}

/** The limits among these modules. */
export const limitsOf = (plan: Plan, modules: ReadonlySet<ModuleName>): readonly ModuleLimit[] =>
  MODULES.flatMap((module) => {
    const { rate } = plan[module];
    return rate && modules.has(module) ? [{ module, ...rate }] : [];
  });

const changed = (plan: Plan, changes: GivenPlan = {}): Plan => ({
  ...(Object.fromEntries(MODULES.map((module) => [module, { ...plan[module], ...changes[module] }])) as Record<ModuleName, ModuleTerms>),
  graphql: { ...plan.graphql, ...changes.graphql },
});
