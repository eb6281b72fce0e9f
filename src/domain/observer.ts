import { AppError } from './errors.ts';

/** What takes time inside. Names are few and say nothing about callers: they become labels of metrics and names of spans. */
export interface Step {
  /** `request` of HTTP, `field` of GraphQL, `batch` of a loader, `call` to a source, `sql` statement, `usage` written down. */
  readonly kind: 'request' | 'field' | 'batch' | 'call' | 'sql' | 'usage';
  /** E.g. `POST /v1/kyb`, `Company.kyb`, the loader, the source, `select`. */
  readonly name: string;
  /** Keys of a batch. */
  readonly size?: number;
}

/** A step under way. */
export interface Running {
  /** Names the trace that it belongs to, where there is one. */
  readonly traceId?: string;
  /** What begins within is part of this step. */
  within<T>(work: () => T): T;
  /** `ok`, or in one word what came instead. */
  end(outcome: string): void;
}

/** Watches what happens inside. Where nobody watches there is no observer, and it costs nothing. */
export interface Observer {
  begin(step: Step): Running;
  /** How an answer of a loader was come by. */
  answered(loader: string, how: 'hit' | 'stale' | 'miss'): void;
  /** A key was told to wait. */
  held(module: string): void;
}

/** Does work as a step. */
export async function observed<T>(observer: Observer | undefined, step: Step, work: () => Promise<T>): Promise<T> {
  if (!observer) return work();
  const running = observer.begin(step);
  try {
    const result = await running.within(work);
    running.end('ok');
    return result;
  } catch (error) {
    running.end(outcomeOf(error));
    throw error;
  }
}

/** An error in one word. */
export function outcomeOf(error: unknown): string {
  if (error instanceof AppError) return error.code.toLowerCase();
  const { kind } = Object(error) as { kind?: unknown };
  return typeof kind === 'string' ? kind : 'error';
}

/** Several observers as one. */
export function together(observers: readonly Observer[]): Observer | undefined {
  if (observers.length < 2) return observers[0];
  return {
    begin(step) {
      const running = observers.map((one) => one.begin(step));
      const traceId = running.map((one) => one.traceId).find((id) => id !== undefined);
      return {
        ...(traceId !== undefined && { traceId }),
        within: <T>(work: () => T): T => running.reduceRight<() => T>((inner, one) => () => one.within(inner), work)(),
        end: (outcome) => {
          for (const one of running) one.end(outcome);
        },
      };
    },
    answered: (loader, how) => {
      for (const one of observers) one.answered(loader, how);
    },
    held: (module) => {
      for (const one of observers) one.held(module);
    },
  };
}
