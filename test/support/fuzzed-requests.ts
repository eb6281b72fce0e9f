import fc from 'fast-check';
import { companies } from '../../sandbox/world/brazil/world.ts';

/** A request of a hostile or faulty client. */
export interface FuzzedRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'HEAD' | 'OPTIONS';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload?: string | Buffer;
}

const PATHS = [
  '/graphql',
  '/graphql/',
  '/openapi.json',
  '/v1/kyb',
  '/v1/owners',
  '/v1/debarment',
  '/v1/contract-fines',
  '/v1/labor',
  '/v1/sanctions',
  '/v1/compliance-br',
  '/v1/enrich',
  '/v1/tax-health',
  '/v1/validate/email',
  '/v1/tech',
  '/v1/usage',
  '/v1/monitor/subscriptions',
  '/v1/monitor/subscriptions/mon_0',
  '/v1/nothing',
  '/healthz',
  '/readyz',
];

const FIELDS = [
  'identifier',
  'country',
  'cnpj',
  'email',
  'domain',
  'identifiers',
  'webhook_url',
  'month',
  'query',
  'variables',
  'after',
  '__proto__',
];
const KNOWN = companies.slice(0, 5).map(({ cnpj }) => cnpj);

/** Texts that parsers often handle wrongly. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 40 }),
  fc.constantFrom(
    '',
    '\u0000',
    '\ud800',
    '\uffff',
    '𝟙𝟚𝟛',
    '٠١٢',
    '..',
    '%00',
    '%zz',
    "' OR 1=1 --",
    '{7*7}',
    '1e999',
    '-0',
    'null',
    '9'.repeat(400),
  ),
  fc.constantFrom(...KNOWN),
  fc.constantFrom(
    'BR',
    'CL',
    'CO',
    'br',
    'someone@example.com',
    '@',
    'example.com',
    'http://[::1',
    'https://127.0.0.1/',
    '2026-11',
    '2026-99',
  ),
);

const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    text,
    fc.integer(),
    fc.double(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(fc.constantFrom(...FIELDS), text), tie('value'), { maxKeys: 5 }),
  ),
})).value;

const body: fc.Arbitrary<string | Buffer> = fc.oneof(
  { weight: 5, arbitrary: fc.dictionary(fc.constantFrom(...FIELDS), json, { maxKeys: 5 }).map((value) => JSON.stringify(value)) },
  { weight: 2, arbitrary: json.map((value) => JSON.stringify(value) ?? '') },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)) },
  { weight: 1, arbitrary: fc.tuple(fc.nat(12), json).map(([cut, value]) => (JSON.stringify(value) ?? '').slice(0, -cut)) },
  { weight: 1, arbitrary: fc.nat(3_000).map((depth) => '['.repeat(depth) + ']'.repeat(depth)) },
);

const WORDS = [
  '{', '}', '(', ')', '[', ']', ':', '!', '$', '@', '...', '"', '"""', '#', ',', '|', '&', '=',
  'query', 'mutation', 'subscription', 'fragment', 'on', 'company', 'companies', 'node', 'identifier', 'country', 'first', 'after', 'id',
  'kyb', 'owners', 'debarment', 'tenders', 'apiKey', 'usage', 'createMonitor', 'input', '__typename', '__schema', '__type', '@include(if: true)',
  '@skip', 'BR', 'null', '1', '-1', '1e400', '"x"', '$a', '$a: String!', 'true', '\u0000', '\ufeff',
] as const; // biome-ignore format: a list of words

const SHAPES: readonly ((inner: string) => string)[] = [
  (inner) => inner,
  (inner) => `{ company(identifier: ${JSON.stringify(inner)}) { id kyb { companyName } } }`,
  (inner) => `{ node(id: ${JSON.stringify(inner)}) { id } }`,
  (inner) => `{ companies(identifiers: [${JSON.stringify(inner)}, ""]) { id ownershipGraph { nodes { name } } } }`,
  (inner) => `query ($a: String!) { company(identifier: $a, country: ${inner}) { id } }`,
  (inner) => `mutation { cancelMonitor(input: { id: ${JSON.stringify(inner)} }) { monitor { id } } }`,
];

const document = fc
  .tuple(
    fc.oneof(
      fc.array(fc.constantFrom(...WORDS), { maxLength: 30 }).map((words) => words.join(' ')),
      text,
    ),
    fc.constantFrom(...SHAPES),
  )
  .map(([inner, shape]) => shape(inner));

const graphql = fc
  .record(
    { query: fc.oneof(document, json), variables: fc.oneof(json, fc.record({ a: json })), operationName: json, extensions: json },
    { requiredKeys: ['query'] },
  )
  .map((value) => JSON.stringify(value));

const header = fc.oneof(fc.string({ maxLength: 30 }), text).map((value) => value.replace(/[^\t\x20-\x7e\x80-\xff]/g, ''));

const HEADERS = [
  'accept',
  'accept-encoding',
  'content-encoding',
  'idempotency-key',
  'x-forwarded-for',
  'origin',
  'range',
  'if-none-match',
  'cookie',
  'te',
  'x-request-id',
];

const TYPES = [
  'application/json',
  'application/json; charset=utf-16',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data',
  'application/JSON;x',
  '',
  'application/graphql-response+json',
];

const ACCEPTS = ['application/json', 'text/event-stream', 'text/html', '*/*', 'application/graphql-response+json'];

/** Generates requests of every kind to every path. Most carry `key`, a valid API key. */
export const fuzzedRequest = (key: string): fc.Arbitrary<FuzzedRequest> => {
  const headers = fc
    .tuple(
      fc.dictionary(fc.constantFrom(...HEADERS), header, { maxKeys: 3 }),
      fc.oneof({ weight: 6, arbitrary: fc.constant(key) }, { weight: 1, arbitrary: header }),
      fc.oneof(
        { weight: 6, arbitrary: fc.constant('application/json') },
        { weight: 1, arbitrary: fc.constantFrom(...TYPES) },
        { weight: 1, arbitrary: header },
      ),
      fc.constantFrom(...ACCEPTS),
    )
    .map(([others, apiKey, type, accept]) => ({ accept, ...others, 'x-api-key': apiKey, 'content-type': type }));
  const path = fc
    .tuple(
      fc.constantFrom(...PATHS),
      fc.oneof(
        { weight: 4, arbitrary: fc.constant('') },
        { weight: 1, arbitrary: text.map((more) => `/${encode(more)}`) },
        { weight: 1, arbitrary: fc.tuple(fc.constantFrom(...FIELDS), text).map(([name, value]) => `?${name}=${encode(value)}`) },
      ),
    )
    .map(([start, more]) => start + more);
  const rest = fc.record({
    method: fc.constantFrom('POST', 'POST', 'POST', 'GET', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS') as fc.Arbitrary<
      FuzzedRequest['method']
    >,
    url: path,
    headers,
    payload: body,
  });
  const graph = fc.record({ method: fc.constant('POST' as const), url: fc.constant('/graphql'), headers, payload: graphql });
  return fc
    .oneof(rest, graph)
    .map(({ payload, ...request }) => (request.method === 'GET' || request.method === 'HEAD' ? request : { ...request, payload }));
};

const encode = (value: string): string => encodeURIComponent(value.toWellFormed()).replaceAll('%25', '%');
