import type { z } from 'zod';

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

export const FRESHNESS = 'freshness { fetchedAt dataAsOf stale }';
export const PAGE = 'pageInfo { endCursor hasNextPage }';
