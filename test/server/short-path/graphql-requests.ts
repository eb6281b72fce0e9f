import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { printSchema } from 'graphql';
import { companies, companyByScenario } from '../../../sandbox/world/brazil/world.ts';
import { chileanByScenario } from '../../../sandbox/world/chile/world.ts';
import { documentHash } from '../../../src/auth/trusted-documents.ts';
import { buildSchema } from '../../../src/graphql/schema.ts';
import { resolvers } from '../../../src/modules/index.ts';
import { operationGenerator } from '../../support/adversarial-operations.ts';
import { fieldOperations } from '../../support/field-operations.ts';
import { randomOf } from '../../support/random.ts';
import type { OwnHeaders } from './support.ts';

/* The requests to `/graphql` that are sent on both paths. */

const root = path.resolve(import.meta.dirname, '../../..');
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8');
const schema = buildSchema(resolvers);
export const CNPJ = companyByScenario('clean').cnpj;
export const CNPJS = companies.slice(0, 20).map(({ cnpj }) => cnpj);
export const COMPANY = `{ company(identifier: "${CNPJ}") { id name kyb { status } compliance { riskLevel } } }`;

/** Values of the variables that operations of the documentation declare. */
export const VARIABLES = {
  identifier: CNPJ,
  identifiers: CNPJS.slice(0, 5),
  country: 'BR',
  first: 5,
  rut: chileanByScenario('cl-clean').rut,
  keyword: 'hospital',
  id: `mon_${'0'.repeat(32)}`,
};

type Named = readonly [name: string, query: string];
const FIELDS: readonly Named[] = fieldOperations(schema, CNPJ)
  .filter(({ query }) => !query.startsWith('mutation'))
  .map(({ field, query }) => [field, query]);
const FILES: readonly Named[] = globSync('schema/operations/*.graphql', { cwd: root })
  .toSorted()
  .map((file) => [file, read(file)]);
const EXAMPLES: readonly Named[] = globSync('docs/**/*.md', { cwd: root })
  .toSorted()
  .flatMap((page) =>
    [...read(page).matchAll(/^```graphql\n([\s\S]*?)^```$/gm)].map(([, text = ''], i): Named => [`${page}, ${i + 1}`, text]),
  );
const GENERATED: readonly Named[] = (() => {
  const targets = { identifiers: CNPJS.slice(0, 3), domains: ['pagina-sencilla.cl'], monitorIds: [] };
  const next = operationGenerator(printSchema(schema), targets, randomOf(7));
  return Array.from({ length: 60 }, (_, i): Named => [`generated ${i + 1}`, next()]);
})();
/**
 * Operations whose second answer may differ on any path: a mutation changes it, each answer with evidence is a new entry of a log, other
 * processes see usage up to a second later, and each process counts its own calls of sources.
 */
const CHANGING = /\b(?:mutation|evidence|usage)\b|\bsources\s*\{(?! __typename \})/;
export const OPERATIONS = [...FIELDS, ...FILES, ...EXAMPLES, ...GENERATED].filter(([, query]) => !CHANGING.test(query));

/** Operations with faults, or that cost or select what is special, each with its body. */
export const BODIES: readonly (readonly [string, unknown])[] = [
  ['a syntax error', { query: '{ company(' }],
  ['an unknown field', { query: '{ companyy }' }],
  ['an unknown argument', { query: '{ company(id: 1) { id } }' }],
  ['a malformed tax id', { query: '{ company(identifier: "1") { id } __typename }' }],
  ['errors of several fields', { query: '{ a: company(identifier: "1") { id } b: company(identifier: "2") { id } }' }],
  ['no query', {}],
  ['a null query', { query: null }],
  ['a blank query', { query: '  ' }],
  ['a query that is a number', { query: 1 }],
  ['a query that is a list', { query: ['{ __typename }'] }],
  ['a batch', [{ query: '{ __typename }' }, { query: '{ __typename }' }]],
  ['an empty batch', []],
  ['null', null],
  ['a text', '{ __typename }'],
  ['an unknown field of the body', { query: '{ __typename }', more: { a: 1 } }],
  ['null parameters', { query: '{ __typename }', variables: null, operationName: null, extensions: null, documentId: null }],
  ['variables that are a text', { query: '{ __typename }', variables: '{}' }],
  ['variables that are a list', { query: '{ __typename }', variables: [] }],
  ['variables that are not declared', { query: '{ __typename }', variables: { a: 1, b: null } }],
  ['extensions of a client', { query: '{ __typename }', extensions: { clientLibrary: { name: 'a', version: '1' } } }],
  ['extensions that are a text', { query: '{ __typename }', extensions: 'x' }],
  ['an operation name that is a number', { query: '{ __typename }', operationName: 1 }],
  ['an unknown operation name', { query: 'query A { __typename }', operationName: 'B' }],
  ['the name of one of two operations', { query: 'query A { a: __typename } query B { b: __typename }', operationName: 'B' }],
  ['no name of two operations', { query: 'query A { a: __typename } query B { b: __typename }' }],
  ['a required variable', { query: 'query($id: String!) { company(identifier: $id) { id } }', variables: { id: CNPJ } }],
  ['no required variable', { query: 'query($id: String!) { company(identifier: $id) { id } }' }],
  ['a variable of a wrong type', { query: 'query($id: String!) { company(identifier: $id) { id } }', variables: { id: [1] } }],
  ['a null condition', { query: 'query($if: Boolean = true) { __typename @include(if: $if) }', variables: { if: null } }],
  ['a condition', { query: 'query($if: Boolean!) { __typename a: __typename @include(if: $if) }', variables: { if: false } }],
  ['60 variables', { query: '{ __typename }', variables: Object.fromEntries(CNPJS.concat(CNPJS, CNPJS).map((_, i) => [`v${i}`, i])) }],
  ['a long text in a variable', { query: '{ __typename }', variables: { a: 'x'.repeat(5_000) } }],
  ['deep variables', { query: '{ __typename }', variables: { a: JSON.parse(`${'['.repeat(20)}${']'.repeat(20)}`) } }],
  ['texts outside of ASCII', { query: '{ company(identifier: "São João ✓ \u{1F600}") { id } }' }],
  ['a lone surrogate', { query: '{ company(identifier: "\ud800") { id } }' }],
  ['a comment', { query: '# a comment\n{ __typename }' }],
  ['fragments', { query: `{ company(identifier: "${CNPJ}") { ...A ...A } } fragment A on Company { id name }` }],
  [
    '20 companies',
    { query: 'query($i: [String!]!) { companies(identifiers: $i) { id compliance { riskLevel } } }', variables: { i: CNPJS } },
  ],
  ['a page that is too long', { query: '{ monitors(first: 1000) { nodes { id } } }' }],
  ['a negative page', { query: '{ monitors(first: -1) { nodes { id } } }' }],
  ['the names of the schema', { query: '{ __schema { queryType { name } } }' }],
  ['a type of the schema', { query: '{ __type(name: "Company") { name } }' }],
  ['a type of the schema beside a company', { query: `{ __type(name: "Company") { name } company(identifier: "${CNPJ}") { id } }` }],
  ['a mutation that is refused', { query: 'mutation { deleteMonitor(id: "mon_0") { id } }' }],
  ['a mutation that fails', { query: `mutation { deleteMonitor(id: "mon_${'0'.repeat(32)}") { __typename } }` }],
  ['a subscription', { query: 'subscription { companyChanged { id } }' }],
  ['an unknown hash', { documentId: documentHash('nothing') }],
  ['an automatic hash', { extensions: { persistedQuery: { version: 1, sha256Hash: documentHash('nothing') } } }],
  ['a text with its hash', { query: '{ __typename }', documentId: documentHash('{ __typename }') }],
  ['a text with another hash', { query: '{ __typename }', documentId: documentHash('nothing') }],
  [
    'a text with its automatic hash',
    { query: '{ __typename }', extensions: { persistedQuery: { sha256Hash: documentHash('{ __typename }') } } },
  ],
];

/** Bytes that are not JSON, or odd JSON. */
export const BYTES: readonly (readonly [string, string | Buffer])[] = [
  ['blanks', ` ${JSON.stringify({ query: COMPANY }, null, 2)}\n`],
  ['a byte order mark', `\u{feff}${JSON.stringify({ query: COMPANY })}`],
  ['nothing', ''],
  ['half of a body', '{"query":"{ __typename }"'],
  ['a second value', '{"query":"{ __typename }"}{}'],
  ['two queries', '{"query":"{ nothing }","query":"{ __typename }"}'],
  ['__proto__', '{"__proto__":{"a":1},"query":"{ __typename }"}'],
  ['constructor.prototype', '{"constructor":{"prototype":1},"query":"{ __typename }"}'],
  ['100 levels', `{"deep":${'['.repeat(120)}${']'.repeat(120)},"query":"{ __typename }"}`],
  [
    'bytes that are not UTF-8',
    Buffer.concat([Buffer.from('{"query":"{ __typename }","a":"'), Buffer.from([0xff, 0xc3]), Buffer.from('"}')]),
  ],
  ['20 kB', JSON.stringify({ query: '{ __typename }', more: 'x'.repeat(20_000) })],
];

export const HEADERS: readonly (readonly [string, OwnHeaders])[] = [
  ...[
    '*/*',
    '',
    'application/json',
    'Application/JSON',
    'application/json;q=0',
    'application/json, text/plain, */*',
    'application/graphql-response+json',
    'application/graphql-response+json, application/json',
    'application/graphql-response+json, application/json;q=0.9',
    'application/graphql-response+json,application/json;q=0.9',
    'application/json;q=0.5, application/graphql-response+json;q=0.4',
    'application/graphql-response+json; charset=utf-8, application/json; charset=utf-8',
    'multipart/mixed, application/json',
    'text/event-stream',
    'text/html',
    'image/png',
    ';q=',
  ].map((accept) => [`Accept: ${accept}`, { accept }] as const),
  ['no key', { 'x-api-key': undefined }],
  ['an unknown key', { 'x-api-key': `sk_${'0'.repeat(38)}` }],
  ['a charset', { 'content-type': 'application/json; charset=utf-8' }],
  ['the type application/graphql', { 'content-type': 'application/graphql' }],
  ['a plain text', { 'content-type': 'text/plain' }],
  ['no type', { 'content-type': undefined }],
  ['a foreign origin', { origin: 'https://other.example' }],
  ['an allowed origin', { origin: 'http://localhost:3000' }],
  ['a malformed Idempotency-Key', { 'idempotency-key': 'two words' }],
  ['Last-Event-ID', { 'last-event-id': '1' }],
  ['Accept-Encoding', { 'accept-encoding': 'gzip' }],
  ['no keep-alive', { connection: 'close' }],
  ['chunks', { 'transfer-encoding': 'chunked' }],
];
