import { sourceUnavailable } from '../../../../domain/errors.ts';

/** Waits for its turn and asks. @throws AppError SOURCE_UNAVAILABLE when its turn has not come by `latest` (of `performance.now`) */
export type InTurn = <T>(latest: number, question: () => Promise<T>) => Promise<T>;

/** The questions on one ticket, one at a time: two at once are refused. `pauseMs` passes after each. */
export function createTurns(pauseMs: number): InTurn {
  let free: Promise<unknown> = Promise.resolve();
  return async (latest, question) => {
    const before = free;
    const over = Promise.withResolvers<void>();
    free = before.then(() => over.promise);
    let rest = 0;
    try {
      await by(latest, before);
      rest = pauseMs;
      return await question();
    } finally {
      if (rest > 0) setTimeout(over.resolve, rest).unref();
      else over.resolve();
    }
  };
}

async function by(latest: number, turn: Promise<unknown>): Promise<void> {
  const late = Promise.withResolvers<never>();
  const tooMany = () => late.reject(sourceUnavailable('mercadopublico', 'too many questions before this one', 5));
  const timer = setTimeout(tooMany, Math.max(0, latest - performance.now()));
  try {
    await Promise.race([turn, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
