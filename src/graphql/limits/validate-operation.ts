import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getOperationAST,
  getVariableValues,
  NoSchemaIntrospectionCustomRule,
  type OperationDefinitionNode,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { AppError } from '../../domain/errors.ts';
import { LIMITS } from '../limits.ts';
import { costOf } from './cost.ts';
import { shapeProblem } from './document-shape.ts';
import { textProblem } from './text.ts';
import { variablesProblem } from './variables.ts';

/** What a caller sends to have an operation run. */
export interface OperationParams {
  readonly query: string;
  readonly operationName?: string | null | undefined;
  readonly variables?: Readonly<Record<string, unknown>> | null | undefined;
}

/** An operation within every limit that holds for all. */
export interface Examined {
  readonly document: DocumentNode;
  readonly operation: OperationDefinitionNode;
  /** Points that it costs at most. */
  readonly cost: number;
}

export interface ExamineOptions {
  /** Whether documents may ask what the schema is; where not, mistakes are answered without suggestions, too. */
  readonly introspection: boolean;
}

/** Tells whether an operation may be run; else its errors, each with its code. */
export type Examine = (params: OperationParams) => Examined | readonly GraphQLError[];

/** Documents that were found good and are kept for those who send them again. */
const KEPT = 500;

/** Looks at an operation from the cheapest question to the dearest, so that what is refused costs little. */
export function createExamine(schema: GraphQLSchema, { introspection }: ExamineOptions): Examine {
  const rules = introspection ? specifiedRules : [...specifiedRules, NoSchemaIntrospectionCustomRule];
  const good = new Map<string, DocumentNode>();

  function read(text: string): DocumentNode | readonly GraphQLError[] {
    const tooMuch = textProblem(text);
    if (tooMuch) return [tooMuch];
    let document: DocumentNode;
    try {
      document = parse(text, { maxTokens: LIMITS.tokens });
    } catch (error) {
      return [coded(error as GraphQLError, 'GRAPHQL_PARSE_FAILED')];
    }
    const tooLarge = shapeProblem(document);
    if (tooLarge) return [tooLarge];
    const errors = validate(schema, document, rules, { maxErrors: LIMITS.validationErrors });
    return errors.length > 0 ? errors.map((error) => coded(error, validationCode(error))) : document;
  }

  function remembered(text: string): DocumentNode | readonly GraphQLError[] {
    const known = good.get(text);
    const document = known ?? read(text);
    if (isRefused(document)) return document;
    good.delete(text);
    good.set(text, document);
    const [oldest] = good.keys();
    if (good.size > KEPT && oldest !== undefined) good.delete(oldest);
    return document;
  }

  function examine({ query, operationName, variables }: OperationParams): Examined | readonly GraphQLError[] {
    const document = remembered(query);
    if (isRefused(document)) return document;
    const operation = getOperationAST(document, operationName);
    if (!operation)
      return [new GraphQLError('Say which operation of the document to run.', { extensions: { code: 'OPERATION_RESOLUTION_FAILURE' } })];
    const tooMuch = variablesProblem(variables ?? {});
    if (tooMuch) return [tooMuch];
    const { coerced, errors } = getVariableValues(
      schema,
      operation.variableDefinitions ?? [],
      { ...variables },
      { maxErrors: LIMITS.validationErrors },
    );
    if (!coerced) return (errors ?? []).slice(0, LIMITS.validationErrors).map((error) => coded(error, 'BAD_USER_INPUT'));
    try {
      return { document, operation, cost: costOf({ schema, document, operation, variables: coerced }) };
    } catch (error) {
      if (error instanceof GraphQLError) return [coded(error, 'BAD_USER_INPUT')];
      if (error instanceof AppError) return [new GraphQLError(error.message, { originalError: error, path: [] })];
      throw error;
    }
  }

  return (params) => {
    const examined = examine(params);
    return isRefused(examined) && !introspection ? examined.map(withoutSuggestion) : examined;
  };
}

export const isRefused = <T>(examined: T | readonly GraphQLError[]): examined is readonly GraphQLError[] => Array.isArray(examined);

/** The validator adds one error of its own when it stops looking. */
const validationCode = ({ nodes, message }: GraphQLError): string =>
  nodes === undefined && message.startsWith('Too many validation errors') ? 'TOO_MANY_VALIDATION_ERRORS' : 'GRAPHQL_VALIDATION_FAILED';

/** Longer messages quote what was sent at length. */
const LONGEST_MESSAGE = 500;

function coded({ message, nodes, source, positions }: GraphQLError, code: string): GraphQLError {
  const short = message.length > LONGEST_MESSAGE ? `${message.slice(0, LONGEST_MESSAGE)}…` : message;
  return new GraphQLError(short, { nodes, source, positions, extensions: { code } });
}

function withoutSuggestion({ message, nodes, source, positions, path, extensions, originalError }: GraphQLError): GraphQLError {
  return new GraphQLError(message.replace(/ Did you mean .*\?$/s, ''), { nodes, source, positions, path, extensions, originalError });
}
