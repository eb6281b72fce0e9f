import { AppError } from './domain/errors.ts';

/** Name of a span. Kinds and names become metric labels and span names, so they are few and contain no data of callers. */
export interface SpanInfo {
  /** HTTP `request`, GraphQL `field`, loader `batch`, `call` to a source, `sql` statement, write of a `usage` record. */
  readonly kind: 'request' | 'field' | 'batch' | 'call' | 'sql' | 'usage';
  /** Name such as `POST /v1/kyb`, `Company.kyb`, a loader, a source, or `select`. */
  readonly name: string;
  /** Number of keys of a batch. */
  readonly size?: number;
}

/** A started span. */
export interface Span {
  /** Id of its trace; absent if traces are off. */
  readonly traceId?: string;
  /** Runs work as part of this span. Spans that the work starts become its children. */
  run<T>(work: () => T): T;
  /** Ends the span. The outcome is `ok` or one word for the failure. */
  end(outcome: string): void;
}

/** Receives metrics and traces. Without metrics and traces there is no observer, and instrumentation costs nothing. */
export interface Observer {
  startSpan(info: SpanInfo): Span;
  /** Counts an answer of a loader's cache. */
  countLoaderAnswer(loader: string, outcome: 'hit' | 'stale' | 'miss'): void;
  /** Counts an operation that the compiled executor wrote (`compiled`), or that graphql-js executed, with the reason. */
  countExecution(outcome: 'compiled' | 'introspection' | 'not_a_query' | 'wrong_condition'): void;
  /** Counts a request that a rate limit refused. */
  countRateLimitRefusal(module: string): void;
}

/** Runs work in a span. @param resultOutcome returns one word for a result */
export async function withSpan<T>(
  observer: Observer | undefined,
  info: SpanInfo,
  work: () => Promise<T>,
  resultOutcome: (result: T) => string = () => 'ok',
): Promise<T> {
  if (!observer) return work();
  const span = observer.startSpan(info);
  try {
    const result = await span.run(work);
    span.end(resultOutcome(result));
    return result;
  } catch (error) {
    span.end(outcomeOf(error));
    throw error;
  }
}

/** Returns one word for an error: its code, its kind or `error`. */
export function outcomeOf(error: unknown): string {
  if (error instanceof AppError) return error.code.toLowerCase();
  const { kind } = Object(error) as { kind?: unknown };
  return typeof kind === 'string' ? kind : 'error';
}

/** Combines observers into one; undefined for none. */
export function combineObservers(observers: readonly Observer[]): Observer | undefined {
  if (observers.length < 2) return observers[0];
  return {
    startSpan(info) {
      const spans = observers.map((observer) => observer.startSpan(info));
      const traceId = spans.map((span) => span.traceId).find((id) => id !== undefined);
      return {
        ...(traceId !== undefined && { traceId }),
        run: <T>(work: () => T): T => spans.reduceRight<() => T>((inner, span) => () => span.run(inner), work)(),
        end: (outcome) => {
          for (const span of spans) span.end(outcome);
        },
      };
    },
    countLoaderAnswer: (loader, outcome) => {
      for (const observer of observers) observer.countLoaderAnswer(loader, outcome);
    },
    countExecution: (outcome) => {
      for (const observer of observers) observer.countExecution(outcome);
    },
    countRateLimitRefusal: (module) => {
      for (const observer of observers) observer.countRateLimitRefusal(module);
    },
  };
}
