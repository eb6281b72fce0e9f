import { createHash } from 'node:crypto';
import {
  createSourceEventStream,
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type FieldNode,
  type FormattedExecutionResult,
  GraphQLError,
  getOperationAST,
  Kind,
  locatedError,
  OperationTypeNode,
  print,
  type SelectionSetNode,
} from 'graphql';
import type { Logger } from 'pino';
import type { Reader, RequestContext } from '../../context.ts';
import { MODULES } from '../../domain/catalogue.ts';
import { AppError } from '../../domain/errors.ts';
import type { EventFeed, SubscriptionStart } from '../../event-feed.ts';
import type { ExecuteToText } from '../../graphql/compiled/executor.ts';
import { JsonText } from '../../graphql/compiled/json-text.ts';
import { formatGraphqlError, isBadInput } from '../../graphql/errors.ts';
import { budgetOf, chargeText } from '../../graphql/limits/answer-budget.ts';
import { promiseItems } from '../../graphql/limits/list-slices.ts';
import type { Language } from '../../messages/message.ts';
import { requestMessages } from '../../messages/requests.ts';
import type { ContextOptions } from '../../metering/request-context.ts';
import { nextSlice } from '../../scheduling/slices.ts';

/** Cost of an operation, in points. */
export interface OperationCost {
  /** Cost computed before the operation runs, which is charged then. */
  readonly requested: number;
  /** Part of it for introspection, which is always spent in full. */
  readonly introspection: number;
  /** Points that the key has left after that. */
  readonly remaining: number;
  /** Number of points that return each second. */
  readonly restoreRate: number;
  /** Maximum cost of one operation. */
  readonly ceiling: number;
  /** Charges the cost beyond `requested`. A key with fewer points left owes the others. */
  readonly chargeExcess: (points: number) => Promise<unknown>;
}

/** A validated operation whose cost was charged to the key. It has no context yet. */
export interface PreparedOperation extends Omit<ExecutionArgs, 'contextValue' | 'rootValue'> {
  readonly type: OperationTypeNode;
  /** The variables as validation has read them. */
  readonly coercedVariables: Readonly<Record<string, unknown>>;
  readonly cost: OperationCost;
}

export { isRefused } from '../../graphql/limits/validate-operation.ts';

export const isSubscription = ({ type }: PreparedOperation): boolean => type === OperationTypeNode.SUBSCRIPTION;

/**
 * Executes a query or mutation in a slot of the key. HTTP, event streams and WebSockets all execute here, so an executor can be replaced
 * in one place.
 * @param toText executor of the operations that it covers, whose `data` is a JsonText
 * @returns the result, without `data` when the operation was refused
 */
export async function runOperation(
  operation: PreparedOperation,
  context: RequestContext,
  toText?: ExecuteToText,
): Promise<ExecutionResult> {
  const result = await context.execute(() => executeWithin(operation, context, { toText })).catch(refused);
  return { ...result, extensions: { cost: costExtension(operation, context) } };
}

function refused(error: unknown): ExecutionResult {
  if (error instanceof AppError) return { errors: [toGraphqlError(error)] };
  throw error;
}

/** Returns the temporary error with which an operation was refused, such as RATE_LIMITED; null for an operation that ran. */
export function temporaryRefusal({ data, errors }: ExecutionResult): AppError | null {
  const error = data === undefined ? errors?.[0]?.originalError : undefined;
  return error instanceof AppError && (error.code === 'RATE_LIMITED' || error.code === 'SERVICE_UNAVAILABLE') ? error : null;
}

/** Executes within the budget of an answer. If the budget is exceeded, the answer is the one error COST_TOO_HIGH. */
async function executeWithin(
  prepared: PreparedOperation,
  context: RequestContext,
  { rootValue, toText }: { readonly rootValue?: unknown; readonly toText?: ExecuteToText | undefined } = {},
): Promise<ExecutionResult> {
  const { cost, ...operation } = prepared;
  await nextSlice(); // many executions begin or continue at once when slots become free
  const budget = budgetOf(context);
  budget.ceiling = cost.ceiling;
  budget.points = cost.introspection;
  const result = (await toText?.(operation, context)) ?? (await executeByGraphqlJs({ ...operation, rootValue, contextValue: context }));
  chargeText(budget, lengthOf(result.data));
  const excess = excessOf(prepared, context);
  if (excess > 0) await cost.chargeExcess(excess);
  return budget.exceeded ? { errors: [budget.exceeded], data: null } : result;
}

async function executeByGraphqlJs(operation: ExecutionArgs & { readonly contextValue: RequestContext }): Promise<ExecutionResult> {
  promiseItems(operation.contextValue);
  return execute(operation);
}

/** Returns the length of the JSON of an answer's data. */
const lengthOf = (data: unknown): number => (data instanceof JsonText ? data.length : JSON.stringify(data ?? null).length);

/** Returns the points that an operation cost beyond those computed before it ran; 0 or less if it cost no more. */
const excessOf = ({ cost }: PreparedOperation, context: RequestContext): number => 1 + budgetOf(context).points - cost.requested;

/** Creates the `cost` extension of an answer, with the spent points and the counted answers by module, in the order of MODULES. */
export const costExtension = ({ cost: { requested, remaining, restoreRate } }: PreparedOperation, context: RequestContext) => ({
  requested,
  actual: 1 + budgetOf(context).points,
  counted: countedOf(context.uses.counted),
  remaining,
  restoreRate,
});

function countedOf(counted: RequestContext['uses']['counted']): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const module of counted.size > 0 ? MODULES : []) {
    const count = counted.get(module);
    if (count !== undefined) counts[module.toUpperCase()] = count;
  }
  return counts;
}

/** Formats a result for callers, equally on every transport. Internal errors are logged and masked. */
export function formatResult({ errors, ...rest }: ExecutionResult, request: Reader, log: Logger): FormattedExecutionResult {
  return errors ? { ...rest, errors: formatErrors(errors, request, log) } : rest;
}

/** Formats errors for callers: a code and the request id as extensions. Internal errors are logged and masked. */
export function formatErrors(
  errors: readonly GraphQLError[],
  { requestId, language }: Reader,
  log: Logger,
): NonNullable<FormattedExecutionResult['errors']> {
  return errors.map((error) => {
    const code = isBadInput(error) ? 'BAD_USER_INPUT' : 'INTERNAL_SERVER_ERROR';
    const formatted = formatGraphqlError({ ...error.toJSON(), extensions: { code, ...error.extensions } }, error, language);
    if (formatted.extensions?.code === 'INTERNAL') log.error({ err: causeOf(error), reqId: requestId }, 'resolver failed');
    return { ...formatted, extensions: { ...formatted.extensions, requestId } };
  });
}

const causeOf = (error: GraphQLError): unknown => error.originalError?.cause ?? error;

/** Wraps an error as an error of the whole operation. */
export const toGraphqlError = (error: Error): GraphQLError =>
  error instanceof GraphQLError ? error : new GraphQLError(error.message, { originalError: error, path: [] });

/** Creates the context of one event, with the current permissions of the caller. */
export type CreateEventContext = (options?: ContextOptions) => RequestContext;

/** A running subscription. */
export interface Subscription extends EventFeed<ExecutionResult> {
  /** Access rule of its field: `any_key` or a module. */
  readonly access: unknown;
}

interface Event {
  /** Epoch ms of the request to the source of the event. Loaders ignore cached answers that were requested earlier. */
  readonly observedAt?: number;
}

/** Limits on the execution of one event. */
export interface EventLifetime {
  /** Aborts at the deadline, or when the client has disconnected. The reason is an AppError. */
  readonly signal: AbortSignal;
  end(): void;
}

/**
 * Results that depend on their event alone, which belongs to one key. Subscriptions with the same selection share them. Null for a result
 * with errors, or with a used module or charged points; each subscription then executes the event itself.
 */
const sharedResults = new WeakMap<Event, Map<string, Promise<ExecutionResult | null>>>();

/** Returns a text that is equal for subscriptions with the same selection and language. */
const selectionOf = ({ document, operationName, variableValues }: PreparedOperation, language: Language): string =>
  createHash('sha256')
    .update(JSON.stringify([print(document), operationName, variableValues, language]))
    .digest('base64');

/**
 * Starts a subscription. Every event is executed with a context and loaders of its own, because the loaders of a shared context would
 * answer the second event from the cache of the first. It is answered from the data that were fetched when its change was detected, if
 * this process has them, and within the deadline of a query. A result that depends on the event alone is computed once for all
 * subscriptions.
 * @returns its results, or one result with the errors for which it cannot start
 */
export async function subscribe(
  operation: PreparedOperation,
  createContext: CreateEventContext,
  startLifetime: () => EventLifetime,
  start: SubscriptionStart = {},
): Promise<Subscription | ExecutionResult> {
  const field = rootField(operation);
  const context = createContext();
  const source = await createSourceEventStream({ ...operation, rootValue: start, contextValue: context });
  if (!(Symbol.asyncIterator in source)) return source;
  const events = source as EventFeed<Event>; // every subscription resolver returns an EventFeed
  const selection = selectionOf(operation, context.language);
  /**
   * False after an event for which the subscription was charged. The next event is executed at once, without checking the results of other
   * subscriptions.
   */
  let mayShare = true;

  async function resultOf(event: Event): Promise<ExecutionResult> {
    if (!mayShare) return executeEvent(event);
    const results = sharedResults.get(event) ?? new Map<string, Promise<ExecutionResult | null>>();
    sharedResults.set(event, results);
    const earlier = results.get(selection);
    const shared = earlier && (await earlier);
    if (shared) {
      await nextSlice(); // hundreds of subscriptions may wait for one result
      return shared;
    }
    const executed = executeEvent(event);
    const toShare = executed.then(
      (result) => (mayShare && !result.errors ? result : null),
      () => null,
    );
    if (!earlier) results.set(selection, toShare);
    return executed;
  }

  async function executeEvent(event: Event): Promise<ExecutionResult> {
    const lifetime = startLifetime();
    try {
      const context = createContext({ since: event.observedAt, signal: lifetime.signal });
      const run = () => executeWithin(operation, context, { rootValue: event });
      const result = await context.execute(run, { mustWait: true });
      mayShare = context.uses.modules.size === 0 && !context.uses.hasOpened && excessOf(operation, context) <= 0;
      return result;
    } finally {
      lifetime.end();
    }
  }

  const subscription: Subscription = {
    access: operation.schema.getSubscriptionType()?.getFields()[field.name.value]?.extensions.access,
    evicted: events.evicted,
    get cursor() {
      return events.cursor;
    },
    async next() {
      const { cursor } = events;
      try {
        const step = await events.next();
        return step.done ? step : { done: false, value: await resultOf(step.value) };
      } catch (error) {
        await events.return(); // nothing calls `return` of an iterator that has thrown
        throw locatedError(endedAt(error, cursor), field, [field.alias?.value ?? field.name.value]);
      }
    },
    async return() {
      await events.return();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]: () => subscription,
  };
  return subscription;
}

/** Returns the error that ends a subscription, with the cursor at which it can be resumed. An unexpected error is INTERNAL. */
function endedAt(error: unknown, cursor: string | undefined): unknown {
  if (error instanceof GraphQLError) return error;
  const { code, text, facts } = error instanceof AppError ? error : new AppError('INTERNAL', requestMessages.internal());
  return new AppError(code, text, { ...(cursor !== undefined && { cursor }), ...facts }, { cause: error });
}

export const isStarted = (result: Subscription | ExecutionResult): result is Subscription => Symbol.asyncIterator in result;

/** Finds the root field of a validated subscription, also within fragments. */
function rootField({ document, operationName }: PreparedOperation): FieldNode {
  const find = ({ selections }: SelectionSetNode): FieldNode | undefined => {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) return selection;
      const fragment =
        selection.kind === Kind.INLINE_FRAGMENT
          ? selection
          : document.definitions.find((one) => one.kind === Kind.FRAGMENT_DEFINITION && one.name.value === selection.name.value);
      const found = fragment && 'selectionSet' in fragment && fragment.selectionSet ? find(fragment.selectionSet) : undefined;
      if (found) return found;
    }
    return undefined;
  };
  const operation = getOperationAST(document, operationName);
  const field = operation && find(operation.selectionSet);
  if (!field) throw new Error('a validated subscription has no root field');
  return field;
}
