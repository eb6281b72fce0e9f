import { GraphQLError, GraphQLScalarType } from 'graphql';
import { GraphQLDate } from 'graphql-scalars';
import { isoWithOffset } from '../domain/time.ts';

/** A date such as `2026-11-21`. Resolvers return ISO date strings. */
export const DateScalar = new GraphQLScalarType({
  ...GraphQLDate.toConfig(),
  description: 'A day, RFC 3339 full-date: 2026-11-21.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
});

/** An absolute URL, spelled as it was given, because callers compare the URL that they receive with the one that they sent. */
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

/** A time such as `2026-11-21T02:30:27+00:00`. Resolvers return epoch milliseconds, or a text that has this form already. */
export const DateTimeScalar = new GraphQLScalarType<number | string, string>({
  name: 'DateTime',
  description:
    "A moment, RFC 3339 with a numeric UTC offset and whole seconds: 2026-11-21T02:30:27+00:00. Times that a marketplace states have its country's offset.",
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
  serialize: (value) => (typeof value === 'string' ? value : isoWithOffset(value as number)),
});

/** A decimal number as text, such as `"517662.9"`. Resolvers return numbers, or texts of this form. */
export const DecimalScalar = new GraphQLScalarType<string | number, string>({
  name: 'Decimal',
  description: 'An exact decimal number as a string, without an exponent: "517662.9".',
  specifiedByURL: 'https://www.w3.org/TR/xmlschema-2/#decimal',
  serialize: (value) => (typeof value === 'string' ? value : toDecimal(value as number)),
  parseValue(value) {
    if (typeof value !== 'string' && typeof value !== 'number') throw new GraphQLError('Give a decimal number, such as "25".');
    return value;
  },
});

/**
 * Formats a number as a decimal without an exponent: the shortest one that reads back as the same number. A number that was read from a
 * decimal of at most 15 significant digits is formatted as that decimal.
 * @throws RangeError for NaN and infinities
 */
export function toDecimal(value: number): string {
  if (!Number.isFinite(value)) throw new RangeError('not a finite number');
  const [mantissa = '', exponent] = String(Math.abs(value)).split('e');
  const sign = value < 0 ? '-' : '';
  if (exponent === undefined) return sign + mantissa;
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  return sign + (point <= 0 ? `0.${'0'.repeat(-point)}${digits}` : digits.padEnd(point, '0'));
}
