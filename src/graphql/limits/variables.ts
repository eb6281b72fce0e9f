import type { GraphQLError } from 'graphql';
import { beyond, LIMITS } from '../limits.ts';

/** Why variables are too many, or too deep, to be read; null when they are not. */
export function variablesProblem(variables: Readonly<Record<string, unknown>>): GraphQLError | null {
  const values = Object.values(variables);
  if (values.length > LIMITS.variables) return beyond('TOO_MANY_VARIABLES', 'variables', values.length, LIMITS.variables);
  const depth = depthOf(values);
  return depth > LIMITS.variableDepth ? beyond('VARIABLES_TOO_DEEP', 'levels within a variable', depth, LIMITS.variableDepth) : null;
}

/** Level by level, since a body of 1 MiB can be deeper than the stack. */
function depthOf(values: readonly unknown[]): number {
  let depth = 0;
  for (let level = values.filter(isNested); level.length > 0; depth += 1)
    level = level.flatMap((value) => Object.values(value)).filter(isNested);
  return depth;
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;
