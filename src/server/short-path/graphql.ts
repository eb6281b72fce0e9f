import { OperationTypeNode } from 'graphql';
import type { Logger } from 'pino';
import type { ExecuteToText } from '../../graphql/compiled/executor.ts';
import type { OperationValidator, ValidatedOperation } from '../../graphql/limits/validate-operation.ts';
import { Message } from '../../messages/message.ts';
import { formatErrors, formatResult, isRefused, runOperation } from '../graphql/execute.ts';
import { type PrepareOperation, parseOperation } from '../graphql/prepare-operation.ts';
import { chunksOf, isLong, refusalStatus, stringifyResult } from '../graphql/result-text.ts';
import { graphqlContentType } from '../request.ts';
import type { WorkOf } from './answer.ts';

export interface ShortGraphqlParts {
  readonly validator: OperationValidator;
  /** True if every key may run trusted documents only. All operations then take the full path. */
  readonly trustedOnly: boolean;
  readonly prepareOperation: PrepareOperation;
  readonly executeToText?: ExecuteToText | undefined;
  readonly log: Logger;
}

/** The usual values of `Accept`: of programs without one, curl, axios, and GraphQL clients. */
const ACCEPTED = [
  undefined,
  '*/*',
  'application/json',
  'application/json, text/plain, */*',
  'application/graphql-response+json',
  'application/graphql-response+json, application/json',
  'application/graphql-response+json, application/json;q=0.9',
  'application/graphql-response+json,application/json;q=0.9',
];
const CONTENT_TYPES: ReadonlyMap<string | undefined, string> = new Map(
  ACCEPTED.map((accept) => [accept, graphqlContentType({ headers: { accept } })]),
);

/**
 * Creates the work of plain operations: queries whose text was validated before. The work charges their cost, which may refuse them, and
 * executes them by the functions of the full path.
 */
export function shortGraphql({ validator, trustedOnly, prepareOperation, executeToText, log }: ShortGraphqlParts): WorkOf {
  return (body, caller, { accept }) => {
    const type = CONTENT_TYPES.get(accept);
    if (type === undefined || trustedOnly || caller.trustedOnly) return null;
    const request = parseOperation(body);
    if (request instanceof Message || request.query === undefined || request.documentId !== undefined) return null;
    const { query, operationName, variables } = request;
    const validated = validator.isCached(query) ? validator.validate({ query, operationName, variables }) : [];
    if (isRefused(validated) || !isPlain(validated)) return null;

    return async (context) => {
      const operation = await prepareOperation(request, caller, validated);
      if (isRefused(operation)) {
        const { status = 400, headers = [] } = refusalStatus({ errors: operation });
        return { status, headers, type, text: JSON.stringify({ errors: formatErrors(operation, context, log) }) };
      }
      const result = await runOperation(operation, context, executeToText);
      const { status = 200, headers = [] } = refusalStatus(result);
      const formatted = formatResult(result, context, log);
      return { status, headers, type, text: isLong(formatted) ? chunksOf(formatted) : stringifyResult(formatted) };
    };
  };
}

/** True for a query that does not request the schema. */
const isPlain = ({ operation, points }: ValidatedOperation): boolean =>
  operation.operation === OperationTypeNode.QUERY && points.introspection === null;
