import { type GraphQLField, getNamedType, isCompositeType } from 'graphql';
import { Extensions } from 'type-graphql';

/** States what a field costs, in points, where that is not what `priceOf` takes for granted. */
export const Cost = (points: number): ReturnType<typeof Extensions> => Extensions({ cost: points });

/**
 * What resolving a field once costs, in points: what it states; else 1 where it is a question of its own, to a source or to our
 * tables, and 0 where its value lies in its parent.
 */
export function priceOf({ extensions, resolve, type }: GraphQLField<unknown, unknown>): number {
  if (typeof extensions.cost === 'number') return extensions.cost;
  const isQuestion = resolve !== undefined && (extensions.access !== undefined || isCompositeType(getNamedType(type)));
  return isQuestion ? 1 : 0;
}
