import { times } from '../server/graphql-shell/support.ts';

/**
 * Creates fragments of which each spreads the next one `width` times, so that the document would grow to `width` to the power of `length`.
 */
export const bomb = (width: number, length: number): string =>
  `{ company(identifier: "1") { ...F0 } } ${times(length, (i) => `fragment F${i} on Company { ${times(width, () => `...F${i + 1}`)} }`)} fragment F${length} on Company { id }`;
const circle = (length: number): string =>
  `{ company(identifier: "1") { ...F0 } } ${times(length, (i) => `fragment F${i} on Company { ...F${(i + 1) % length} }`)}`;
const braces = (count: number, open: string, close: string): string => `${open.repeat(count)}${close.repeat(count)}`;
const deepJson = (count: number): unknown => JSON.parse(`${'[{"a":'.repeat(count)}1${'}]'.repeat(count)}`);
const company = (selection: string): string => `{ company(identifier: "1") { ${selection} } }`;

type FuzzedRequest = readonly [what: string, query: string, variables?: object];
/** GraphQL requests that are refused, each with its description, document and variables. There are at least 60. */
export const HOSTILE: readonly FuzzedRequest[] = [
  ...[2, 3, 10, 30].flatMap((width) =>
    [2, 5, 20, 60].map((length): FuzzedRequest => [`a bomb, ${width} to the ${length}`, bomb(width, length + 8)]),
  ),
  ['a bomb that leads nowhere', bomb(6, 40).replace(/fragment F40.*$/, '')],
  ...[1, 2, 20, 150].map((length): FuzzedRequest => [`a circle of ${length} fragments`, circle(length)]),
  ...[15, 150, 5_000].flatMap((count): FuzzedRequest[] => [
    [`${count} braces without a field`, braces(count, '{', '}')],
    [`${count} braces left open`, '{a'.repeat(count)],
    [`${count} levels of fields`, braces(count, '{a', '}')],
    [`${count} inline fragments with a field`, `${'{...'.repeat(count)}{x}${'}'.repeat(count)}`],
    [`a list ${count} deep`, company('id').replace('"1"', braces(count, '[', ']'))],
    [`an object ${count} deep`, `{ company(identifier: ${braces(count, '{a:', '}').replace('{a:}', '{}')}) { id } }`],
  ]),
  ...[300, 3_000].map(
    (count): FuzzedRequest => [`${count} overlapping fields`, company(times(count, (i) => `n${i % 7}: name kyb { s: status }`))],
  ),
  ...[16, 300].map((count): FuzzedRequest => [`${count} aliases of one field`, company(times(count, (i) => `a${i}: name`))]),
  ...[11, 300].map(
    (count): FuzzedRequest => [`${count} directives at one field`, company(`id ${times(count, () => '@include(if: true)')}`)],
  ),
  ...[11, 300].map((count): FuzzedRequest => [`${count} unknown directives`, company(`id ${times(count, (i) => `@d${i}`)}`)]),
  ['300 equal variables', `query (${times(300, () => '$v: Int')}) { __typename }`],
  ['300 variables', `query (${times(300, (i) => `$v${i}: Int`)}) { __typename }`],
  ['60 fragments nobody spreads', `{ __typename } ${times(60, (i) => `fragment F${i} on Company { id name }`)}`],
  ['300 operations', times(300, (i) => `query Q${i} { __typename }`)],
  ['a huge number', company(`tenders(first: ${'9'.repeat(10_000)}) { totalCount }`)],
  ['a huge fraction', company(`tenders(first: 1e${'9'.repeat(10_000)}) { totalCount }`)],
  ['a huge text for a number', 'query ($n: Int!) { monitors(first: $n) { nodes { id } } }', { n: 'x'.repeat(900_000) }],
  ['a huge number for a number', 'query ($n: Int!) { monitors(first: $n) { nodes { id } } }', { n: 1e300 }],
  ['a deep variable', 'query ($ids: [String!]!) { companies(identifiers: $ids) { id } }', { ids: deepJson(40) }],
  ['a wide variable', 'query ($ids: [String!]!) { companies(identifiers: $ids) { id } }', { ids: Array(200_000).fill(1) }],
  ['many variables', '{ __typename }', Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`v${i}`, i]))],
  ['a name of a prototype', '{ __proto__ constructor toString }', { constructor: 1 }],
  ['a lone surrogate and a null', company('id').replace('"1"', '"\ud800\u0000')],
  ['nothing but a mark', '\ufeff'],
  ['nothing but commas', ','.repeat(15_000)],
];
