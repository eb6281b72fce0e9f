import { unwrapResolverError } from '@apollo/server/errors';
import { GraphQLError, type GraphQLFormattedError, isValueNode, Kind } from 'graphql';
import { databaseUnavailable } from '../db/unavailable.ts';
import { AppError, type ErrorFacts, invalidInput } from '../domain/errors.ts';
import type { Language, Message } from '../messages/message.ts';
import { engineMessages } from '../messages/operations.ts';
import { requestMessages } from '../messages/requests.ts';

/**
 * Formats an error for callers. An AppError keeps its code and facts, and its text is written in the language. An error of the GraphQL
 * engine has its English message; in another language it has the sentence of its code, and the English one as `englishMessage`. A failure
 * of the database is SERVICE_UNAVAILABLE. Any other error is masked as INTERNAL.
 */
export function formatGraphqlError(formatted: GraphQLFormattedError, error: unknown, language: Language): GraphQLFormattedError {
  const original = originalError(error);
  if (original instanceof AppError)
    return { ...formatted, message: original.messageIn(language), extensions: { code: original.code, ...inEnumWords(original.facts) } };
  // Errors of the engine itself, such as a missing operation type or a null for a non-null field, count as bad requests.
  const isEngineError = error instanceof GraphQLError && !error.originalError;
  const code = isEngineError && formatted.extensions?.code === 'INTERNAL_SERVER_ERROR' ? 'BAD_REQUEST' : formatted.extensions?.code;
  if (code === 'INTERNAL_SERVER_ERROR' || code === undefined) {
    return {
      ...formatted,
      message: requestMessages.internal().in(language),
      extensions: { code: 'INTERNAL' },
    };
  }
  if (error instanceof OperationError) return { ...formatted, message: error.text.in(language), extensions: { code } };
  const text = language === 'en' ? undefined : ENGINE_TEXTS.get(String(code))?.().in(language);
  if (text === undefined) return { ...formatted, extensions: { code } };
  return { ...formatted, message: text, extensions: { code, englishMessage: formatted.message } };
}

/** Sentences of errors of the engine, by code. A code without one, such as that which clients of persisted queries compare, stays English. */
const ENGINE_TEXTS: ReadonlyMap<string, () => Message> = new Map(Object.entries(engineMessages));

/** An error of the service about an operation as a whole, such as an exceeded limit. */
export class OperationError extends GraphQLError {
  readonly #text: Message;

  constructor(code: string, text: Message) {
    super(text.in('en'), { extensions: { code } });
    this.#text = text;
  }

  get text(): Message {
    return this.#text;
  }
}

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
    error.text,
  );
}
