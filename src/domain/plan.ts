import type { ModuleName } from './catalogue.ts';

/**
 * A token bucket with `burst` tokens that refills at `perMinute` tokens a minute. It admits at most `perMinute + burst` requests in any
 * minute.
 */
export interface Rate {
  readonly perMinute: number;
  readonly burst: number;
}

/** An action with a rate limit of its own, besides those of modules. */
export interface LimitedAction {
  /** Name of its token bucket; no module has it. */
  readonly name: string;
  readonly rate: Rate;
}

/** The terms of a plan for one module. */
export interface ModuleTerms {
  /** Number of answers included per month; null for no limit. Further answers are not refused but count as overage. */
  readonly included: number | null;
  /** USD per answer beyond the included ones, as a decimal text such as `0.30`; null if overage has no price. */
  readonly overagePrice: string | null;
  /** Rate limit; null for no limit. */
  readonly rate: Rate | null;
}

/** Limits on the cost of GraphQL operations, in points: per minute, per burst, and per operation (`ceiling`). */
export interface CostTerms extends Rate {
  readonly ceiling: number;
}

/** Limits on what one key may watch at the same time. */
export interface WatchTerms {
  /** Maximum number of active monitors. */
  readonly monitors: number;
  /** Maximum number of different companies in all active monitors. */
  readonly companies: number;
}

export type Plan = Readonly<Record<ModuleName, ModuleTerms>> & { readonly graphql: CostTerms; readonly watch: WatchTerms };

/** The rate limit of one module, as the owner of the key sees it. */
export interface ModuleLimit extends Rate {
  readonly module: ModuleName;
}

/** The rate limit of one module, and the tokens that the key has left. */
export interface RateLimitStatus extends ModuleLimit {
  /** Number of requests that the key may send now. */
  readonly remaining: number;
  /** Milliseconds until the key may send one more; 0 when the bucket is full. */
  readonly nextMs: number;
}

/** Numbers of refusals of a key by rate limits, as one process counted them. */
export interface Refusals {
  readonly count: number;
  /** Epoch ms since which they are counted. */
  readonly since: number;
}

/** Plans from QUIPU_PLANS, by name. Omitted modules and fields have the values of the standard plan. */
export type GivenPlans = Readonly<Record<string, GivenPlan>>;

export type GivenPlan = Readonly<Partial<Record<ModuleName, Readonly<Partial<ModuleTerms>>>>> & {
  readonly graphql?: Readonly<Partial<CostTerms>>;
  readonly watch?: Readonly<Partial<WatchTerms>>;
};

/** Plan name → plan. */
export type PlanOf = (name: string) => Plan;
