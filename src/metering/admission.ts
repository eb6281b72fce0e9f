import { AppError } from '../domain/errors.ts';
import type { ModuleName } from '../domain/modules.ts';
import type { ModuleLimit, Standing } from '../domain/plan.ts';
import { SECOND_MS } from '../domain/time.ts';
import type { Decision } from './rates.ts';

/** Whether a request may ask modules that have a limit. */
export interface Admission {
  /**
   * Settles together for all who ask in one tick, those of modules without a limit included: were some let through at once and the
   * others when Redis has answered, what they load would fall into two batches.
   * @throws AppError RATE_LIMITED
   */
  pass(module: ModuleName): Promise<void>;
  /** Where the key stands with the modules that were asked. */
  standings(): readonly Standing[];
}

/** A request takes one place of a module's bucket, however often it asks the module: usage is what tells a list of five hundred from one. */
export function admissionTo(limits: readonly ModuleLimit[], take: (limit: ModuleLimit) => Promise<Decision>): Admission {
  const decisions = new Map<ModuleName, Promise<Decision>>();
  const standings: Standing[] = [];
  let tick: Promise<unknown> | null = null;

  async function decide(limit: ModuleLimit): Promise<Decision> {
    const decision = await take(limit);
    standings.push(decision);
    return decision;
  }

  async function endOfTick(): Promise<void> {
    await new Promise<void>((resolve) => void Promise.resolve().then(() => process.nextTick(resolve)));
    tick = null;
    await Promise.all(decisions.values());
  }

  return {
    async pass(module) {
      if (limits.length === 0) return;
      const limit = limits.find((one) => one.module === module);
      if (limit && !decisions.has(module)) decisions.set(module, decide(limit));
      tick ??= endOfTick();
      await tick;
      const decision = await decisions.get(module);
      if (decision && !decision.admitted) throw refusal(decision);
    },
    standings: () => standings,
  };
}

function refusal({ module, perMinute, nextMs }: Standing): AppError {
  const retryAfterSeconds = Math.ceil(nextMs / SECOND_MS);
  return new AppError('RATE_LIMITED', `This key may ask ${module} ${perMinute} times a minute; try again in ${retryAfterSeconds} s.`, {
    module,
    retryAfterSeconds,
  });
}
