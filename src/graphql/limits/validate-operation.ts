import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  Lexer,
  NoSchemaIntrospectionCustomRule,
  type OperationDefinitionNode,
  parse,
  Source,
  specifiedRules,
  TokenKind,
  validate,
} from 'graphql';
import { recent } from '../../cache/recent.ts';
import { AppError } from '../../domain/errors.ts';
import { nestingOf } from '../../domain/nesting.ts';
import { operationMessages } from '../../messages/operations.ts';
import { OperationError } from '../errors.ts';
import { LIMITS, limitExceeded } from '../limits.ts';
import { requireConditions } from './conditions.ts';
import { createCostOf, type OperationPoints } from './cost.ts';
import { shapeProblem } from './document-shape.ts';

/** The parameters of an operation. */
export interface OperationParams {
  readonly query: string;
  readonly operationName?: string | null | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
}

/** A valid operation within the limits of every plan. */
export interface ValidatedOperation {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** The variables as the types of the operation read them. */
  readonly coercedVariables: Readonly<Record<string, unknown>>;
  /** Maximum cost of the operation. */
  readonly points: OperationPoints;
}

export interface ValidationOptions {
  /** Allows introspection queries. Without it, error messages do not suggest names of the schema either. */
  readonly introspection: boolean;
}

/** Validates an operation. Returns its errors, each with a code, if it must not run. */
export type ValidateOperation = (params: OperationParams) => ValidatedOperation | readonly GraphQLError[];

/** Validates operations, and remembers their documents. */
export interface OperationValidator {
  readonly validate: ValidateOperation;
  /** True for the text of a valid document in the cache, whose validation costs little. */
  readonly isCached: (text: string) => boolean;
}

/** Maximum number of valid documents in the cache. The least recently used one is evicted. */
const MAX_CACHED_DOCUMENTS = 500;

/** Creates a validator with a cache of documents. Cheap checks run first, so that refused operations cost little CPU. */
export function createOperationValidator(schema: GraphQLSchema, { introspection }: ValidationOptions): OperationValidator {
  const rules = introspection ? specifiedRules : [...specifiedRules, NoSchemaIntrospectionCustomRule];
  const cache = recent<string, DocumentNode>(MAX_CACHED_DOCUMENTS);
  const pointsOf = createCostOf();

  function parseAndValidate(text: string): DocumentNode | readonly GraphQLError[] {
    const tooMuch = textProblem(text);
    if (tooMuch) return [tooMuch];
    let document: DocumentNode;
    try {
      document = parse(text, { maxTokens: LIMITS.tokens });
    } catch (error) {
      return [withCode(error as GraphQLError, 'GRAPHQL_PARSE_FAILED')];
    }
    const tooLarge = shapeProblem(document);
    if (tooLarge) return [tooLarge];
    const errors = validate(schema, document, rules, { maxErrors: LIMITS.validationErrors });
    if (errors.some(({ message }) => message === COMPARISON_ABORTED)) return [tooManyRepetitions()];
    return errors.length > 0 ? errors.map((error) => withCode(error, validationCode(error))) : document;
  }

  function documentOf(text: string): DocumentNode | readonly GraphQLError[] {
    const document = cache.get(text) ?? parseAndValidate(text);
    if (isRefused(document)) return document;
    cache.set(text, document);
    return document;
  }

  function validateOperation({ query, operationName, variables }: OperationParams): ValidatedOperation | readonly GraphQLError[] {
    const document = documentOf(query);
    if (isRefused(document)) return document;
    const operation = getOperationAST(document, operationName);
    if (!operation) return [new OperationError('OPERATION_RESOLUTION_FAILURE', operationMessages.nameOperation())];
    const tooMuch = variablesProblem(variables ?? {});
    if (tooMuch) return [tooMuch];
    const { coerced, errors } = getVariableValues(
      schema,
      operation.variableDefinitions ?? [],
      { ...variables },
      { maxErrors: LIMITS.validationErrors },
    );
    if (!coerced) return (errors ?? []).slice(0, LIMITS.validationErrors).map((error) => withCode(error, 'BAD_USER_INPUT'));
    try {
      requireConditions({ document, operation, variables: coerced });
      const points = pointsOf({ schema, document, operation, variables: coerced });
      return { document, operation, coercedVariables: coerced, points };
    } catch (error) {
      if (error instanceof GraphQLError) return [withCode(error, 'BAD_USER_INPUT')];
      if (error instanceof AppError) return [new GraphQLError(error.message, { originalError: error, path: [] })];
      throw error;
    }
  }

  return {
    validate(params) {
      const result = validateOperation(params);
      return isRefused(result) && !introspection ? result.map(withoutSuggestion) : result;
    },
    isCached: (text) => cache.has(text),
  };
}

export const isRefused = <T>(result: T | readonly GraphQLError[]): result is readonly GraphQLError[] => Array.isArray(result);

/** Message of `validate` for a document that repeats so many fields that it stops comparing them with each other. */
const COMPARISON_ABORTED = 'Validation aborted.';

const tooManyRepetitions = (): GraphQLError => new OperationError('TOO_MANY_FIELDS', operationMessages.repeated());

/** Returns the code of a validation error. `validate` adds an error without nodes when it stops at the maximum. */
const validationCode = ({ nodes, message }: GraphQLError): string =>
  nodes === undefined && message.startsWith('Too many validation errors') ? 'TOO_MANY_VALIDATION_ERRORS' : 'GRAPHQL_VALIDATION_FAILED';

/** Maximum length of a message. Longer messages quote the document at length, and are cut. */
const MAX_MESSAGE_LENGTH = 500;

function withCode({ message, nodes, source, positions }: GraphQLError, code: string): GraphQLError {
  const short = message.length > MAX_MESSAGE_LENGTH ? `${message.slice(0, MAX_MESSAGE_LENGTH)}…` : message;
  return new GraphQLError(short, { nodes, source, positions, extensions: { code } });
}

function withoutSuggestion(error: GraphQLError): GraphQLError {
  if (error instanceof OperationError) return error;
  const { message, nodes, source, positions, path, extensions, originalError } = error;
  return new GraphQLError(message.split(' Did you mean ', 1)[0] ?? '', { nodes, source, positions, path, extensions, originalError });
}

/**
 * Returns an error for a text that is too large to parse, else null. The token count bounds everything after it: the recursion of the
 * parser and the number of nodes.
 */
export function textProblem(text: string): GraphQLError | null {
  const bytes = Buffer.byteLength(text);
  if (bytes > LIMITS.documentBytes) return limitExceeded('DOCUMENT_TOO_LARGE', 'bytes of text', bytes, LIMITS.documentBytes);
  const { count, longestText } = readTokens(text);
  if (count > LIMITS.tokens) return limitExceeded('TOO_MANY_TOKENS', 'tokens', count, LIMITS.tokens);
  return longestText > LIMITS.textLength ? textTooLong(longestText) : null;
}

const textTooLong = (length: number): GraphQLError => limitExceeded('TEXT_TOO_LONG', 'characters in one text', length, LIMITS.textLength);

/** Counts tokens and measures text literals, up to the end or to the first syntax error, which the parser reports. */
function readTokens(text: string): { readonly count: number; readonly longestText: number } {
  const lexer = new Lexer(new Source(text));
  let count = 0;
  let longestText = 0;
  try {
    for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
      count += 1;
      const isText = token.kind === TokenKind.STRING || token.kind === TokenKind.BLOCK_STRING;
      if (isText) longestText = Math.max(longestText, token.value.length);
    }
  } catch {
    return { count, longestText };
  }
  return { count, longestText };
}

/** Returns an error for variables that are too many, nested too deeply or contain a text that is too long, else null. */
function variablesProblem(variables: Readonly<Record<string, unknown>>): GraphQLError | null {
  const count = Object.keys(variables).length;
  if (count > LIMITS.variables) return limitExceeded('TOO_MANY_VARIABLES', 'variables', count, LIMITS.variables);
  const values = Object.values(variables);
  const total = countValues(values);
  if (total > LIMITS.variableValues) return limitExceeded('TOO_MANY_VARIABLES', 'values in its variables', total, LIMITS.variableValues);
  const depth = nestingOf(values) - 1;
  if (depth > LIMITS.variableDepth) return limitExceeded('VARIABLES_TOO_DEEP', 'levels within a variable', depth, LIMITS.variableDepth);
  const longest = longestTextIn(values);
  return longest > LIMITS.textLength ? textTooLong(longest) : null;
}

/** Counts values, and those within them, without recursion, because their nesting is checked later. */
function countValues(values: readonly unknown[]): number {
  const waiting = [values];
  let count = 0;
  for (let some = waiting.pop(); some; some = waiting.pop()) {
    count += some.length;
    for (const value of some) if (typeof value === 'object' && value !== null) waiting.push(Object.values(value));
  }
  return count;
}

/** Returns the length of the longest text in a value whose nesting was checked before. Names of fields count as texts. */
function longestTextIn(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  const parts = Array.isArray(value) ? value : Object.entries(value).flat();
  return parts.reduce((longest: number, part: unknown) => Math.max(longest, longestTextIn(part)), 0);
}
