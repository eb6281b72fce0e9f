import { GraphQLError } from 'graphql';

/** Limits of an operation, alike on HTTP, event streams and WebSockets. The limit of its cost is part of the plan. */
export const LIMITS = {
  documentBytes: 16_000,
  tokens: 1_000,
  /** Characters of one text in an argument or a variable: no tax id, domain, URL, cursor or keyword is longer. */
  textLength: 4_096,
  /** Nesting of fields; `{ company { name } }` has depth 2. */
  depth: 10,
  /** Without `__typename`, which costs nothing. Fields, aliases and directives of a fragment count each time it is spread. */
  fields: 1_000,
  aliases: 15,
  rootFields: 10,
  /** `__schema` and `__type` at the root. */
  introspections: 1,
  directives: 10,
  /** Validation errors that are reported for one document. */
  validationErrors: 5,
  /** Items of a list argument. */
  listItems: 500,
  pageSize: 100,
  /** Items of a page whose size is left out or null. */
  defaultPageSize: 20,
  variables: 50,
  /** Nesting of objects and lists in a variable. */
  variableDepth: 10,
} as const;

export type LimitCode =
  | 'DOCUMENT_TOO_LARGE'
  | 'TOO_MANY_TOKENS'
  | 'TEXT_TOO_LONG'
  | 'QUERY_TOO_DEEP'
  | 'TOO_MANY_FIELDS'
  | 'TOO_MANY_ALIASES'
  | 'TOO_MANY_ROOT_FIELDS'
  | 'TOO_MANY_DIRECTIVES'
  | 'TOO_MANY_VALIDATION_ERRORS'
  | 'TOO_MANY_VARIABLES'
  | 'VARIABLES_TOO_DEEP'
  | 'COST_TOO_HIGH';

/** Creates the error of an exceeded limit. @param what the counted things, e.g. `fields` */
export const limitExceeded = (code: LimitCode, what: string, count: number, limit: number): GraphQLError =>
  new GraphQLError(`This operation has ${count.toLocaleString('en')} ${what}; the maximum is ${limit.toLocaleString('en')}.`, {
    extensions: { code },
  });
