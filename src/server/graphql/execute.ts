import {
  type ExecutionArgs,
  type ExecutionResult,
  execute,
  type FormattedExecutionResult,
  GraphQLError,
  Kind,
  OperationTypeNode,
} from 'graphql';
import type { Logger } from 'pino';
import type { RequestContext } from '../../context.ts';
import { formatGraphqlError, isInternal } from '../../graphql/errors.ts';
import { spentIn } from '../../graphql/limits/cancellation.ts';

/** An operation that may be run, but for its context. */
export interface Operation extends ExecutionArgs {
  readonly type: OperationTypeNode;
  /** Points that it costs at most, those left to the key, and how many come back a second. */
  readonly cost: { readonly requested: number; readonly remaining: number; readonly restoreRate: number };
}

export { isRefused } from '../../graphql/limits/validate-operation.ts';

export const isSubscription = ({ type }: Operation): boolean => type === OperationTypeNode.SUBSCRIPTION;

/** Runs a query or mutation. */
export async function run(operation: Operation, context: RequestContext): Promise<ExecutionResult> {
  const result = await execute({ ...operation, contextValue: context });
  return { ...result, extensions: { cost: costIn(operation, context) } };
}

/** What an operation cost, as its answer says. */
export const costIn = ({ cost: { requested, remaining, restoreRate } }: Operation, context: RequestContext) => ({
  requested,
  actual: spentIn(context),
  remaining,
  restoreRate,
});

/** Shows results as HTTP shows them: errors with their code and the request id; what is our fault goes to the log. */
export function showResult({ errors, ...rest }: ExecutionResult, requestId: string, log: Logger): FormattedExecutionResult {
  return errors ? { ...rest, errors: showErrors(errors, requestId, log) } : rest;
}

export function showErrors(
  errors: readonly GraphQLError[],
  requestId: string,
  log: Logger,
): NonNullable<FormattedExecutionResult['errors']> {
  for (const err of errors.filter(isInternal)) log.error({ err, reqId: requestId }, 'resolver failed');
  return errors.map((error) => {
    const code = isBadVariable(error) ? 'BAD_USER_INPUT' : 'INTERNAL_SERVER_ERROR';
    const formatted = formatGraphqlError({ ...error.toJSON(), extensions: { code, ...error.extensions } }, error);
    return { ...formatted, extensions: { ...formatted.extensions, requestId } };
  });
}

/** Whatever failed → an error of the operation as a whole. */
export const failureOf = (error: Error): GraphQLError =>
  error instanceof GraphQLError ? error : new GraphQLError(error.message, { originalError: error, path: [] });

const isBadVariable = ({ nodes, originalError }: GraphQLError): boolean =>
  !originalError && nodes?.length === 1 && nodes[0]?.kind === Kind.VARIABLE_DEFINITION;
