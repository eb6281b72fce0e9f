import type { ModuleName } from './modules.ts';

/** A token bucket: `burst` places, refilled at `perMinute` a minute. In any minute at most `perMinute + burst` get through. */
export interface Rate {
  readonly perMinute: number;
  readonly burst: number;
}

/** What a plan says of one module. */
export interface ModuleTerms {
  /** Answers a month; null for no limit. Beyond it nothing is refused: it is overage. */
  readonly included: number | null;
  /** USD for each answer beyond, as a decimal text such as `0.30`; null where overage has no price. */
  readonly overagePrice: string | null;
  /** Null for no limit. */
  readonly rate: Rate | null;
}

/** What GraphQL operations may cost, in points: in the long run, at once after a pause, and one by itself. */
export interface CostTerms extends Rate {
  readonly ceiling: number;
}

export type Plan = Readonly<Record<ModuleName, ModuleTerms>> & { readonly graphql: CostTerms };

/** A module's limit, as its key's owner sees it. */
export interface ModuleLimit extends Rate {
  readonly module: ModuleName;
}

/** Where a key stands with a module's limit. */
export interface Standing extends ModuleLimit {
  /** Places free now. */
  readonly remaining: number;
  /** Ms until one more place is free; 0 where all are. */
  readonly nextMs: number;
}
