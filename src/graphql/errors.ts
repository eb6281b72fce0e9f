import { unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';
import { AppError } from '../domain/errors.ts';

/**
 * A resolver's error → what callers see: code, facts and a sentence for ours; the engine's own for a document that is wrong;
 * nothing but INTERNAL for the rest.
 */
export function formatGraphqlError(formatted: GraphQLFormattedError, error: unknown): GraphQLFormattedError {
  const original = unwrapResolverError(error);
  if (original instanceof AppError)
    return { ...formatted, message: original.message, extensions: { code: original.code, ...original.facts } };
  // What the engine refuses by itself (no such operation type, a null where none may be) is the caller's mistake.
  const isEngines = error instanceof GraphQLError && !error.originalError;
  const code = isEngines && formatted.extensions?.code === 'INTERNAL_SERVER_ERROR' ? 'BAD_REQUEST' : formatted.extensions?.code;
  if (code === 'INTERNAL_SERVER_ERROR' || code === undefined) {
    return {
      ...formatted,
      message: 'Something went wrong on our side; the request id helps us find it.',
      extensions: { code: 'INTERNAL' },
    };
  }
  return { ...formatted, extensions: { code } };
}

/** True for an error that is a fault of ours and belongs in the log. */
export const isInternal = (error: unknown): boolean => {
  const original = unwrapResolverError(error);
  return original instanceof Error && original !== error && !(original instanceof AppError);
};
