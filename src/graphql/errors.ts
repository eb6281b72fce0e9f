import { unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError, isValueNode, Kind } from 'graphql';
import { databaseUnavailable } from '../db/unavailable.ts';
import { AppError, type ErrorFacts, invalidInput } from '../domain/errors.ts';

/**
 * Formats an error for callers. An AppError keeps its code, facts and message. An error of the GraphQL engine about the document keeps its
 * message. A failure of the database is SERVICE_UNAVAILABLE. Any other error is masked as INTERNAL.
 */
export function formatGraphqlError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const original = originalError(error);
  if (original instanceof AppError)
    return { ...formatted, message: original.message, extensions: { code: original.code, ...inEnumWords(original.facts) } };
  // Errors of the engine itself, such as a missing operation type or a null for a non-null field, count as bad requests.
  const isEngineError = error instanceof GraphQLError && !error.originalError;
  const code = isEngineError && formatted.extensions?.code === 'INTERNAL_SERVER_ERROR' ? 'BAD_REQUEST' : formatted.extensions?.code;
  if (code === 'INTERNAL_SERVER_ERROR' || code === undefined) {
    return {
      ...formatted,
      message: INTERNAL_MESSAGE,
      extensions: { code: 'INTERNAL' },
    };
  }
  return { ...formatted, extensions: { code } };
}

/** Message of an unexpected error, which does not reveal its cause. */
export const INTERNAL_MESSAGE = 'Something went wrong on our side; the request id helps us find it.';

/** Converts names of sources, modules and roles to the values of the enums SourceName, Module and KeyRole; REST has them in lower case. */
const inEnumWords = ({ source, module, role, ...facts }: ErrorFacts): ErrorFacts => ({
  ...facts,
  ...(source !== undefined && { source: source.toUpperCase() }),
  ...(module !== undefined && { module: module.toUpperCase() }),
  ...(role !== undefined && { role: role.toUpperCase() }),
});

/** Returns true for an error of graphql-js about a value that the caller sent: a variable, an argument, or the condition of a directive. */
export function isBadInput(error: unknown): boolean {
  const original = error instanceof GraphQLError && error.originalError ? error.originalError : error;
  if (!(original instanceof GraphQLError) || original.originalError) return false;
  const [node, ...others] = original.nodes ?? [];
  return node !== undefined && others.length === 0 && (node.kind === Kind.VARIABLE_DEFINITION || isValueNode(node));
}

function originalError(error: unknown): unknown {
  const original = unwrapResolverError(error);
  return databaseUnavailable(original) ?? original;
}

/** Renames the field of an error from `/v1` to GraphQL: `webhook_url` → `webhookUrl`. */
export function toGraphqlField(error: unknown): never {
  const field = error instanceof AppError ? error.facts.field : undefined;
  if (!(error instanceof AppError) || error.code !== 'INVALID_INPUT' || field === undefined) throw error;
  throw invalidInput(
    field.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
    error.message,
  );
}
