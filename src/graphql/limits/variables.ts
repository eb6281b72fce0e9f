import type { GraphQLError } from 'graphql';
import { nestingOf } from '../../domain/nesting.ts';
import { beyond, LIMITS } from '../limits.ts';

/** Why variables are too many, or too deep, to be read; null when they are not. */
export function variablesProblem(variables: Readonly<Record<string, unknown>>): GraphQLError | null {
  const values = Object.values(variables);
  if (values.length > LIMITS.variables) return beyond('TOO_MANY_VARIABLES', 'variables', values.length, LIMITS.variables);
  const depth = nestingOf(values) - 1;
  return depth > LIMITS.variableDepth ? beyond('VARIABLES_TOO_DEEP', 'levels within a variable', depth, LIMITS.variableDepth) : null;
}
