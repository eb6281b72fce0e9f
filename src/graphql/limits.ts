import { GraphQLError } from 'graphql';

/** The one table of what an operation may be; alike on HTTP, event streams and WebSockets. What an operation may cost is the plan's. */
export const LIMITS = {
  documentBytes: 16_000,
  tokens: 1_000,
  /** Fields within fields; `{ company { name } }` is 2 deep. */
  depth: 10,
  /** Fields, aliases and directives count as often as the fragments that they stand in are spread. */
  fields: 200,
  aliases: 15,
  rootFields: 10,
  directives: 10,
  /** Mistakes that are told of one document. */
  validationErrors: 5,
  /** Items of a list argument. */
  listItems: 500,
  pageSize: 100,
  variables: 50,
  /** Objects and lists within a variable. */
  variableDepth: 10,
} as const;

export type LimitCode =
  | 'DOCUMENT_TOO_LARGE'
  | 'TOO_MANY_TOKENS'
  | 'QUERY_TOO_DEEP'
  | 'TOO_MANY_FIELDS'
  | 'TOO_MANY_ALIASES'
  | 'TOO_MANY_ROOT_FIELDS'
  | 'TOO_MANY_DIRECTIVES'
  | 'TOO_MANY_VALIDATION_ERRORS'
  | 'TOO_MANY_VARIABLES'
  | 'VARIABLES_TOO_DEEP'
  | 'COST_TOO_HIGH';

/** What is beyond a limit, such as `fields`, how much of it there is, and what there may be. */
export const beyond = (code: LimitCode, what: string, count: number, limit: number): GraphQLError =>
  new GraphQLError(`This operation has ${count.toLocaleString('en')} ${what}; ${limit.toLocaleString('en')} is the most.`, {
    extensions: { code },
  });
