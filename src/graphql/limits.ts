import type { GraphQLError } from 'graphql';
import { grouped } from '../messages/message.ts';
import { type Counted, countedMessage, operationMessages } from '../messages/operations.ts';
import { OperationError } from './errors.ts';

/** Limits of an operation, equal on HTTP, event streams and WebSockets. The limit of its cost is part of the plan. */
export const LIMITS = {
  documentBytes: 16_000,
  tokens: 1_000,
  /** Maximum length of one text in an argument or a variable, in characters. No tax id, domain, URL, cursor or keyword is longer. */
  textLength: 4_096,
  /** Maximum nesting of fields; `{ company { name } }` has depth 2. */
  depth: 10,
  /**
   * Maximum number of fields without `__typename`, which costs nothing. Fields, aliases and directives of a fragment count each time it is
   * spread.
   */
  fields: 1_000,
  aliases: 15,
  rootFields: 10,
  /** Maximum number of `__schema` and `__type` at the root. */
  introspections: 1,
  directives: 10,
  /** Maximum number of validation errors that are reported for one document. */
  validationErrors: 5,
  /** Maximum number of items of a list argument. */
  listItems: 500,
  variables: 50,
  /** Maximum number of objects, lists and other values in all variables: the 100,000 tax ids of a screening, and its other members. */
  variableValues: 100_500,
  /** Maximum nesting of objects and lists in a variable. */
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

/** Creates the error of an exceeded limit. @param what name of the counted things, e.g. `fields` */
export const limitExceeded = (code: LimitCode, what: Counted, count: number, limit: number): GraphQLError =>
  new OperationError(code, operationMessages.limitExceeded({ count: grouped(count), things: countedMessage(what), max: grouped(limit) }));
