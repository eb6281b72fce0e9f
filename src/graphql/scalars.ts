import { GraphQLScalarType } from 'graphql';
import { GraphQLDate, GraphQLURL } from 'graphql-scalars';
import { isoWithOffset } from '../domain/time.ts';

/** `2026-11-21`. Resolvers return ISO date strings. */
export const DateScalar = GraphQLDate;

/** An absolute URL. */
export const UrlScalar = GraphQLURL;

/** `2026-11-21T02:30:27+00:00`. Resolvers return epoch milliseconds. */
export const DateTimeScalar = new GraphQLScalarType<number, string>({
  name: 'DateTime',
  description: 'A moment, RFC 3339 with a numeric UTC offset and whole seconds: 2026-11-21T02:30:27+00:00.',
  serialize: (value) => isoWithOffset(value as number),
});
