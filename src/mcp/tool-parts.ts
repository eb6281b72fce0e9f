import { z } from 'zod';
import { LIMITS } from '../graphql/limits.ts';
import { wholeNumber } from '../rest/fields.ts';

/** A tool for agents: a GraphQL document with bounded input. Its answer, its limits and its price are those of the document. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  /** Description by which an agent chooses the tool: its answer, and the modules that it needs. */
  readonly description: string;
  readonly input: z.ZodObject;
  readonly document: string;
  /** Returns the variables of the document for a valid input; without it, the input itself is used. @throws AppError INVALID_INPUT */
  readonly variables?: (input: never) => Readonly<Record<string, unknown>>;
  readonly hasSideEffects?: boolean;
}

export const first = wholeNumber(z.int().min(1).max(LIMITS.pageSize).default(LIMITS.defaultPageSize)).describe('Items of a page');
export const after = z.string().min(1).max(500).optional();
export const nextPage = after.describe('`pageInfo.endCursor` of the page before');
export const FRESHNESS = 'freshness { fetchedAt dataAsOf stale }';
export const PAGE = 'pageInfo { endCursor hasNextPage }';
