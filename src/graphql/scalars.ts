import { GraphQLError, GraphQLScalarType } from 'graphql';
import { GraphQLDate } from 'graphql-scalars';
import { isoWithOffset } from '../domain/time.ts';

/** `2026-11-21`. Resolvers return ISO date strings. */
export const DateScalar = GraphQLDate;

/** An absolute URL, as its writer spelled it: callers compare what they get with what they gave. */
export const UrlScalar = new GraphQLScalarType<string, string>({
  name: 'URL',
  description: 'An absolute URL: https://example.com/hook.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3986',
  serialize: String,
  parseValue(value) {
    if (typeof value !== 'string' || !URL.canParse(value))
      throw new GraphQLError('Give an absolute URL, such as https://example.com/hook.');
    return value;
  },
});

/** `2026-11-21T02:30:27+00:00`. Resolvers return epoch milliseconds. */
export const DateTimeScalar = new GraphQLScalarType<number, string>({
  name: 'DateTime',
  description: 'A moment, RFC 3339 with a numeric UTC offset and whole seconds: 2026-11-21T02:30:27+00:00.',
  serialize: (value) => isoWithOffset(value as number),
});
