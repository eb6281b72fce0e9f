import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MAX_PAGE_SIZE } from '../../../src/domain/paging.ts';
import { LIMITS } from '../../../src/graphql/limits.ts';
import { type TestApp, testApp } from '../../support/app.ts';
import { type Ask, TRANSPORTS, times } from './support.ts';

let app: TestApp;
beforeAll(async () => {
  app = await testApp({ listsTried: false });
});
afterAll(() => app.close());

const ID = '00000000000191';
const COMPANY = `company(identifier: "${ID}")`;
/** A document `depth` fields deep: 1 + 3n + 1, and what is missing between. */
function deep(depth: number): string {
  const rest = (depth - 2) % 3;
  const inner = ['id', 'owners { count }', 'owners { owners { name } }'][rest] ?? '';
  const wrap = (levels: number): string => (levels === 0 ? inner : `owners { owners { company { ${wrap(levels - 1)} } } }`);
  return `{ ${COMPANY} { ${wrap(Math.floor((depth - 2) / 3))} } }`;
}
/** `count` fields, no alias among them: those of a company that are leaves, again and again. */
const fields = (count: number): string => times(count, () => 'id');

const ones = (count: number): string => times(Math.floor(count), () => '"1"');

/** A way to come to `count` of what is limited. */
interface Way {
  readonly through: string;
  readonly make: (count: number) => readonly [query: string, variables?: object];
}

const MATRIX: Readonly<Record<string, { readonly limit: number; readonly code: string; readonly ways: readonly Way[] }>> = {
  bytes: {
    limit: LIMITS.documentBytes,
    code: 'DOCUMENT_TOO_LARGE',
    ways: [
      { through: 'a comment', make: (count) => ['{ __typename } #'.padEnd(count, 'x')] },
      { through: 'letters of several bytes', make: (count) => [`{ __typename } #${'é'.repeat((count - 16) / 2)}${count % 2 ? 'x' : ''}`] },
    ],
  },
  tokens: {
    limit: LIMITS.tokens,
    code: 'TOO_MANY_TOKENS',
    ways: [
      {
        through: 'items of a list',
        make: (count) => [
          `{ a: companies(identifiers: [${ones((count - 24) / 2)}]) { id } companies(identifiers: [${ones((count - 23) / 2)}]) { id } }`,
        ],
      },
    ],
  },
  'characters of one text': {
    limit: LIMITS.textLength,
    code: 'TEXT_TOO_LONG',
    ways: [
      { through: 'an argument', make: (count) => [`{ companyByDomain(domain: "${'9'.repeat(count)}") { id } }`] },
      { through: 'a block text', make: (count) => [`{ companyByDomain(domain: """${'9'.repeat(count)}""") { id } }`] },
      {
        through: 'a variable',
        make: (count) => ['query ($it: String!) { companyByDomain(domain: $it) { id } }', { it: '9'.repeat(count) }],
      },
      {
        through: 'a list in a variable that nobody declared',
        make: (count) => ['{ __typename }', { it: [{ deep: 'x'.repeat(count) }] }],
      },
    ],
  },
  depth: {
    limit: LIMITS.depth,
    code: 'QUERY_TOO_DEEP',
    ways: [
      { through: 'fields', make: (count) => [deep(count)] },
      {
        through: 'inline fragments',
        make: (count) => [
          deep(count)
            .replace(/\{ (owners|id)/, '{ ... on Company { $1')
            .replace(/\}$/, '} }'),
        ],
      },
      {
        through: 'fragments',
        make: (count) => [
          `${deep(count)
            .replace(/\{ (?=owners)/, '{ ...F } } fragment F on Company { ')
            .replace(/\} \}$/, '}')}`,
        ],
      },
    ],
  },
  fields: {
    limit: LIMITS.fields,
    code: 'TOO_MANY_FIELDS',
    ways: [
      {
        through: 'a fragment that is spread four times',
        make: (count) => [
          `{ ${COMPANY} { ${fields((count - 1) % 4)} ...F ...F ...F ...F } } fragment F on Company { ${fields(Math.floor((count - 1) / 4))} }`,
        ],
      },
      {
        through: 'fragments within fragments',
        make: (count) => [
          `{ ${COMPANY} { ${fields((count - 1) % 4)} ...A ...A } } fragment A on Company { ...B ...B } fragment B on Company { ${fields(Math.floor((count - 1) / 4))} }`,
        ],
      },
    ],
  },
  aliases: {
    limit: LIMITS.aliases,
    code: 'TOO_MANY_ALIASES',
    ways: [
      { through: 'fields', make: (count) => [`{ ${COMPANY} { ${times(count, (i) => `a${i}: id`)} } }`] },
      { through: '__typename', make: (count) => [`{ ${COMPANY} { ${times(count, (i) => `a${i}: __typename`)} } }`] },
      { through: 'a fragment', make: (count) => [`{ ${COMPANY} { ...F } } fragment F on Company { ${times(count, (i) => `a${i}: id`)} }`] },
    ],
  },
  'root fields': {
    limit: LIMITS.rootFields,
    code: 'TOO_MANY_ROOT_FIELDS',
    ways: [
      { through: 'aliases', make: (count) => [`{ ${times(count, (i) => `a${i}: ${COMPANY} { id }`)} }`] },
      { through: 'the same again', make: (count) => [`{ ${times(count, () => `${COMPANY} { id }`)} }`] },
      { through: '__typename', make: (count) => [`{ ${times(count, () => '__typename')} }`] },
      { through: 'a fragment', make: (count) => [`{ ...F } fragment F on Query { ${times(count, () => '__typename')} }`] },
    ],
  },
  directives: {
    limit: LIMITS.directives,
    code: 'TOO_MANY_DIRECTIVES',
    ways: [
      { through: 'fields', make: (count) => [`{ ${COMPANY} { ${times(count, () => 'id @include(if: true)')} } }`] },
      {
        through: 'fragments and a variable',
        make: (count) => [
          `query ($yes: Boolean!) { ${COMPANY} { ...F @include(if: $yes) } } fragment F on Company { ${times(count - 1, () => 'id @skip(if: false)')} }`,
          { yes: true },
        ],
      },
    ],
  },
  variables: {
    limit: LIMITS.variables,
    code: 'TOO_MANY_VARIABLES',
    ways: [
      {
        through: 'those nobody declared',
        make: (count) => ['{ __typename }', Object.fromEntries(Array.from({ length: count }, (_, i) => [`v${i}`, 1]))],
      },
    ],
  },
  'levels of a variable': {
    limit: LIMITS.variableDepth,
    code: 'VARIABLES_TOO_DEEP',
    ways: [
      { through: 'lists', make: (count) => ['{ __typename }', { v: JSON.parse(`${'['.repeat(count)}${']'.repeat(count)}`) }] },
      { through: 'objects', make: (count) => ['{ __typename }', { v: JSON.parse(`${'{"a":'.repeat(count)}1${'}'.repeat(count)}`) }] },
    ],
  },
  'identifiers of a list': {
    limit: LIMITS.listItems,
    code: 'INVALID_INPUT',
    ways: [
      {
        through: 'a variable',
        make: (count) => ['query ($ids: [String!]!) { companies(identifiers: $ids) { id } }', { ids: Array(count).fill(ID) }],
      },
      {
        through: 'a variable of a fragment',
        make: (count) => [
          'query ($ids: [ID!]!) { ...F } fragment F on Query { nodes(ids: $ids) { id } }',
          { ids: Array(count).fill('Q29tcGFueTpCUjowMDAwMDAwMDAwMDE5MQ') },
        ],
      },
    ],
  },
  'items of a page': {
    limit: MAX_PAGE_SIZE,
    code: 'INVALID_INPUT',
    ways: [
      { through: 'a value', make: (count) => [`{ monitors(first: ${count}) { nodes { id } } }`] },
      { through: 'a variable', make: (count) => ['query ($n: Int!) { monitors(first: $n) { nodes { id } } }', { n: count }] },
      { through: 'a default', make: (count) => [`query ($n: Int! = ${count}) { monitors(first: $n) { nodes { id } } }`] },
    ],
  },
};

const cases = Object.entries(MATRIX).flatMap(([what, { limit, code, ways }]) =>
  ways.map(({ through, make }) => ({ what, limit, code, through, make })),
);

describe.each(Object.entries(TRANSPORTS))('GQ-03 over %s', (_transport, over) => {
  const ask: Ask = (...args) => over(app)(...args);

  it.each(cases)('$limit $what through $through, and not one more', async ({ limit, code, make }) => {
    const at = await ask(...make(limit));
    expect([at.status, at.codes.filter((one) => one === code)]).toEqual([200, []]);
    for (const count of [limit + 1, limit * 2]) {
      const over = await ask(...make(count));
      expect([over.status, over.codes]).toEqual([400, [code]]);
      expect(over.messages[0]).toContain(limit.toLocaleString('en'));
    }
  });

  it('counts no __typename as a field', async () => {
    const { status } = await ask(`{ ${COMPANY} { ...F } } fragment F on Company { ${times(600, () => '__typename')} }`);
    expect(status).toBe(200);
  });

  it('refuses the same fields again and again, which take too long to compare', async () => {
    const { status, codes } = await ask(`{ ${COMPANY} { ${fields(990)} } }`);
    expect([status, codes]).toEqual([400, ['TOO_MANY_FIELDS']]);
  });

  it('reports 5 validation errors, and that there are more', async () => {
    const five = await ask(`{ ${times(5, (i) => `wrong${i}`)} }`);
    expect([five.status, five.codes]).toEqual([400, Array(5).fill('GRAPHQL_VALIDATION_FAILED')]);
    const more = await ask(`{ ${times(9, (i) => `wrong${i}`)} }`);
    expect([more.status, more.codes]).toEqual([400, [...Array(5).fill('GRAPHQL_VALIDATION_FAILED'), 'TOO_MANY_VALIDATION_ERRORS']]);
  });
});
