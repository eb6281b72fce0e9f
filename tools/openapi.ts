import { z } from 'zod';
import {
  createDocument,
  type ZodOpenApiHeadersObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiPathsObject,
  type ZodOpenApiResponseObject,
  type ZodOpenApiResponsesObject,
} from 'zod-openapi';
import type { Reader } from '../src/context.ts';
import { MODULE_DESCRIPTIONS } from '../src/domain/catalogue.ts';
import type { ErrorCode } from '../src/domain/errors.ts';
import { type HttpCode, problem, statusOf } from '../src/rest/problem.ts';
import type { Route } from '../src/rest/route.ts';
import type { Examples } from './examples.ts';
import { ERRORS } from './openapi-errors.ts';

const problemShape = z
  .object({
    type: z.string().meta({ format: 'uri' }),
    title: z.string(),
    status: z.int(),
    detail: z.string().describe('A sentence a person can act on.'),
    code: z.string().describe('Stable, snake_case. New codes may appear.'),
    request_id: z.string().describe('Value of the header X-Request-Id.'),
    errors: z
      .array(z.object({ field: z.string(), message: z.string() }))
      .optional()
      .describe('With 422: the invalid fields.'),
    cursor: z.string().optional().describe('With `cursor_too_old`: where to continue.'),
  })
  .meta({ id: 'Problem' });

type RestCode = keyof typeof ERRORS;

const isRestCode = (code: string): code is RestCode => code in ERRORS;
/** A code as `/v1` writes it. */
export const nameOf = (code: RestCode): string => problem(code, { in: () => '' }, READER).code;

/** Every code that a route can return. */
export function errorsOf(route: Route): readonly RestCode[] {
  const codes: readonly (ErrorCode | HttpCode)[] = [
    ...([
      'BAD_REQUEST',
      'MISSING_API_KEY',
      'INVALID_API_KEY',
      'INVALID_INPUT',
      'RATE_LIMITED',
      'INTERNAL',
      'SERVICE_UNAVAILABLE',
      'DEADLINE_EXCEEDED',
    ] as const),
    ...(route.module ? (['MODULE_NOT_ENABLED'] as const) : []),
    ...(route.role ? (['ROLE_NOT_ALLOWED'] as const) : []),
    ...(hasBody(route) ? (['MALFORMED_BODY', 'BODY_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const) : []),
    ...(route.method === 'POST' ? (['IDEMPOTENCY_IN_PROGRESS', 'IDEMPOTENCY_KEY_REUSED', 'IDEMPOTENCY_ANSWER_NOT_STORED'] as const) : []),
    ...route.errors,
  ];
  return codes.filter(isRestCode);
}

/** The request of the examples. */
const REQUEST_ID = '0b7a2f9e-7c39-4c0e-9b7e-4f6f0f6a3c55';
const READER: Reader = { requestId: REQUEST_ID, language: 'en' };

const header = (description: string, example: string | number) => ({
  description,
  schema: { type: typeof example === 'number' ? ('integer' as const) : ('string' as const) },
  example,
});
const HEADERS = {
  RequestId: header('Id of the request, for reports of errors.', REQUEST_ID),
  ContentLanguage: header('`es` or `pt`: the language of the texts; absent for English.', 'es'),
  RetryAfter: header('Seconds after which the request can be repeated.', 30),
  RateLimit: header('`r`: requests that the key has left; `t`: seconds until it has one more.', '"kyb";r=12;t=1'),
  RateLimitPolicy: header('`q`: requests in a window of `w` seconds.', '"kyb";q=60;w=60'),
  UsageCounted: header('Answers counted for this request, by module; absent if none was counted.', 'kyb=1'),
  Completeness: header('Extent to which the verdict was checked: `complete`, `partial` or `insufficient`.', 'complete'),
  IdempotentReplayed: header('`true` for the stored answer of an earlier request with this Idempotency-Key.', 'true'),
};
const use = (name: keyof typeof HEADERS) => ({ $ref: `#/components/headers/${name}` as const });

const EVERY_ANSWER: ZodOpenApiHeadersObject = { 'X-Request-Id': use('RequestId'), 'Content-Language': use('ContentLanguage') };
const RATE_LIMIT: ZodOpenApiHeadersObject = { RateLimit: use('RateLimit'), 'RateLimit-Policy': use('RateLimitPolicy') };
const RETRY: ZodOpenApiHeadersObject = { 'Retry-After': use('RetryAfter') };
/** Statuses of errors that can pass by waiting. */
const TEMPORARY = [409, 429, 503];

/** `:id` of a path → `{id}`. */
const templated = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}');
/** True where the input is a JSON body; else it is parameters. */
const hasBody = ({ method }: Route): boolean => !['GET', 'DELETE'].includes(method);
/** `verifyCompany`, `INVALID_INPUT` → `VerifyCompany`, `InvalidInput`. */
const pascal = (name: string): string =>
  (/^[A-Z_]+$/.test(name) ? name.toLowerCase() : name).replace(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase());

const ACCEPT_LANGUAGE = { $ref: '#/components/parameters/AcceptLanguage' as const };

/** Describes the input of a route: parameters of its path, and its JSON body, or query where the method has no body. */
function inputOf(route: Route, examples: Examples): Partial<ZodOpenApiOperationObject> {
  const { method, path } = route;
  const { inPath, rest } = splitInput(route);
  if (!hasBody(route))
    return { parameters: [ACCEPT_LANGUAGE], requestParams: { path: inPath, ...(rest instanceof z.ZodObject && { query: rest }) } };
  const example = examples.get(`request ${method} ${templated(path)}`);
  const parameters = {
    parameters: [ACCEPT_LANGUAGE, ...(method === 'POST' ? [{ $ref: '#/components/parameters/IdempotencyKey' as const }] : [])],
    requestParams: { path: inPath },
  };
  if (isEmpty(rest)) return parameters;
  return {
    ...parameters,
    requestBody: { required: true, content: { 'application/json': { schema: rest, ...(example !== undefined && { example }) } } },
  };
}

/** True for the input of a route that takes no body besides the parameters of its path. */
const isEmpty = (input: z.ZodType): boolean => input instanceof z.ZodObject && Object.keys(input.shape).length === 0;

/** Splits the input of a route into the parameters of its path and the rest. One object a route, so that schemas are shared. */
function splitInput(route: Route): { readonly inPath: z.ZodObject; readonly rest: z.ZodType } {
  const known = split.get(route);
  if (known) return known;
  const { body, path } = route;
  const members = body instanceof z.ZodObject ? Object.entries<z.ZodType>(body.shape) : [];
  const [inPath, others] = [true, false].map((wanted) =>
    z.object(Object.fromEntries(members.filter(([name]) => path.includes(`:${name}`) === wanted))),
  );
  const input = { inPath: inPath ?? z.object({}), rest: path.includes(':') && others ? others : body };
  split.set(route, input);
  return input;
}
const split = new WeakMap<Route, { readonly inPath: z.ZodObject; readonly rest: z.ZodType }>();

/** The errors of a route by status, as the components that they share. */
const problemsOf = (route: Route): ZodOpenApiResponsesObject =>
  Object.fromEntries(codesByStatus(route).map(({ status, name }) => [`${status}`, { $ref: `#/components/responses/${name}` }]));

const codesByStatus = (route: Route) =>
  [...Map.groupBy(errorsOf(route), statusOf)].map(([status, codes]) => ({ status, codes, name: codes.map(pascal).join('Or') }));

/** Response with one of these errors, which have one status. */
const problemResponse = (status: number, codes: readonly RestCode[]): ZodOpenApiResponseObject => ({
  description: codes.map((code) => `\`${nameOf(code)}\`: ${ERRORS[code]}`).join(' '),
  headers: { ...EVERY_ANSWER, ...(status === 429 && RATE_LIMIT), ...(TEMPORARY.includes(status) && RETRY) },
  content: {
    'application/problem+json': {
      schema: problemShape,
      examples: Object.fromEntries(codes.map((code) => [nameOf(code), { value: exampleOf(code) }])),
    },
  },
});

/** An example of the problem document of a code. */
const exampleOf = (code: RestCode) =>
  problem(code, { in: () => ERRORS[code] }, READER, code === 'INVALID_INPUT' ? [{ field: 'country', message: ERRORS[code] }] : undefined);

const contentOf = ({ file, reply }: Route, example: unknown): ZodOpenApiResponseObject['content'] => {
  const shown = example !== undefined && { example };
  if (reply instanceof z.ZodNever) {
    const isText = /^text\/|jsonl$/.test(file ?? '');
    return file ? { [file]: { schema: { type: 'string' as const, ...(!isText && { format: 'binary' }) }, ...shown } } : {};
  }
  return {
    'application/json': { schema: reply, ...shown },
    ...(file && { [file]: { schema: { type: 'string' as const, format: 'binary' } } }),
  };
};

function operation(route: Route, examples: Examples): ZodOpenApiOperationObject {
  const example = examples.get(`reply ${route.method} ${templated(route.path)}`);
  return {
    operationId: route.operationId,
    tags: [route.module ?? 'account'],
    summary: route.summary,
    description: route.module
      ? `Needs the module \`${route.module}\`${route.orModule ? ` or \`${route.orModule}\`` : ''} on the key.`
      : 'Any valid key; no module is needed.',
    ...inputOf(route, examples),
    responses: {
      200: {
        description: 'The answer.',
        headers: {
          ...EVERY_ANSWER,
          ...(route.module && RATE_LIMIT),
          ...(route.module && { 'Usage-Counted': use('UsageCounted') }),
          ...(route.headersOf && { 'Quipu-Completeness': use('Completeness') }),
          ...(route.method === 'POST' && { 'Idempotent-Replayed': use('IdempotentReplayed') }),
        },
        content: contentOf(route, example),
      },
      ...problemsOf(route),
    },
  };
}

const pathsOf = (routes: readonly Route[], examples: Examples): ZodOpenApiPathsObject =>
  Object.fromEntries(
    [...Map.groupBy(routes, ({ path }) => templated(path))].map(([path, served]) => [
      path,
      Object.fromEntries(served.map((route) => [route.method.toLowerCase(), operation(route, examples)])),
    ]),
  );

/**
 * Generates the API description of `/v1` (OpenAPI 3.1) from the schemas of the routes and the examples of the docs.
 * Schemas of replies are open, since replies may get new fields.
 */
export function openApi(routes: readonly Route[], examples: Examples) {
  return createDocument(
    {
      openapi: '3.1.0',
      info: {
        title: 'Quipu /v1',
        version: '1',
        description: 'Company data and compliance from public registries. New fields may appear in replies; none is removed.',
        contact: { name: 'The operator of this service' },
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [
        {
          url: '{origin}',
          description: 'Each operator runs the service at an address of its own.',
          variables: { origin: { default: 'http://127.0.0.1:4000', description: 'Address that the service prints when it starts' } },
        },
      ],
      security: [{ apiKey: [] }],
      tags: [
        { name: 'account', description: 'The API key itself. These endpoints need no module.' },
        ...Object.entries(MODULE_DESCRIPTIONS)
          .filter(([name]) => routes.some(({ module }) => module === name))
          .map(([name, description]) => ({ name, description })),
      ],
      paths: pathsOf(routes, examples),
      components: {
        securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
        schemas: Object.fromEntries(
          routes.flatMap((route) => [
            ...(hasBody(route) && !route.body.meta()?.id && !isEmpty(splitInput(route).rest)
              ? [[`${pascal(route.operationId)}Request`, splitInput(route).rest]]
              : []),
            ...(route.reply.meta()?.id || route.reply instanceof z.ZodNever ? [] : [[`${pascal(route.operationId)}Reply`, route.reply]]),
          ]),
        ),
        headers: HEADERS,
        parameters: {
          AcceptLanguage: {
            name: 'Accept-Language',
            in: 'header',
            description: 'Language of the texts that people read: English, Spanish or Portuguese. Codes and names of fields are the same.',
            schema: { type: 'string' },
            example: 'es-CL, es;q=0.9',
          },
          IdempotencyKey: {
            name: 'Idempotency-Key',
            in: 'header',
            description: 'Repeated requests with the same key and body get the stored first answer for 24 hours, and count once.',
            schema: { type: 'string', pattern: '^[\\x21-\\x7e]{1,255}$' },
            example: 'order-2026-11-21-0042',
          },
        },
        responses: Object.fromEntries(
          routes.flatMap(codesByStatus).map(({ status, codes, name }) => [name, problemResponse(status, codes)]),
        ),
      },
    },
    { override: ({ jsonSchema }) => simplify(jsonSchema) },
  );
}

/** Opens objects for new fields, and drops what only repeats a type: the bounds of any integer, the pattern of a date. */
export function simplify(schema: {
  additionalProperties?: unknown;
  maximum?: number;
  minimum?: number;
  format?: string;
  pattern?: string;
}): void {
  if (schema.additionalProperties === false) delete schema.additionalProperties;
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.format?.startsWith('date')) delete schema.pattern;
}
