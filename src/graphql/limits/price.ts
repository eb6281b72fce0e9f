import { type GraphQLField, type GraphQLSchema, getNamedType, isCompositeType, isObjectType } from 'graphql';
import { Extensions } from 'type-graphql';

/** States what a field costs, in points, where that is not the usual price. */
export const Cost = (points: number): ReturnType<typeof Extensions> => Extensions({ cost: points });

/**
 * What resolving a field once costs, in points: what it states; else 1 where it is a question of its own, to a source or to our
 * tables, and 0 where its value lies in its parent.
 */
function usualPrice({ extensions, resolve, type }: GraphQLField<unknown, unknown>): number {
  const isQuestion = resolve !== undefined && (extensions.access !== undefined || isCompositeType(getNamedType(type)));
  return isQuestion ? 1 : 0;
}

/** Has every field of a fresh schema state its price: later its resolvers may be wrapped, and all look like questions. */
export function statePrices(schema: GraphQLSchema): void {
  for (const field of fieldsOf(schema)) field.extensions = { cost: usualPrice(field), ...field.extensions };
}

/** The price that a field states. */
export const priceOf = ({ extensions }: GraphQLField<unknown, unknown>): number =>
  typeof extensions.cost === 'number' ? extensions.cost : 0;

/** Fields of all object types, but for those of the schema's own description. */
export const fieldsOf = (schema: GraphQLSchema): readonly GraphQLField<unknown, unknown>[] =>
  Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type) && !type.name.startsWith('__') ? Object.values(type.getFields()) : [],
  );
