import { z } from 'zod';
import type { Route } from './route.ts';

const PROBLEMS: Readonly<Record<string, string>> = {
  400: 'The body is not valid JSON.',
  403: 'missing_api_key, invalid_api_key or module_not_enabled.',
  404: 'company_not_found, domain_not_resolved or subscription_not_found, where absence is an error.',
  409: 'idempotency_in_progress; see Retry-After.',
  413: 'The body is larger than 1 MiB.',
  422: 'invalid_input or unsupported_country, `errors` names the fields; or idempotency_key_reused.',
  429: 'rate_limited; see Retry-After, RateLimit and RateLimit-Policy.',
  503: 'source_unavailable or service_unavailable; see Retry-After.',
};

const problemSchema = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'code', 'request_id'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string', description: 'A sentence a person can act on.' },
    code: { type: 'string', description: 'Stable, snake_case.' },
    request_id: { type: 'string' },
    errors: {
      type: 'array',
      items: { type: 'object', properties: { field: { type: 'string' }, message: { type: 'string' } } },
    },
  },
};

const jsonSchema = (shape: z.ZodType, io: 'input' | 'output') => {
  const { $schema: _, ...schema } = z.toJSONSchema(shape, { io });
  return schema;
};

/** `:id` of a path → `{id}`. */
const templated = (path: string): string => path.replaceAll(/:(\w+)/g, '{$1}');

/** Describes the input of a route: the JSON body of a POST, the parameters of other methods. */
const inputOf = ({ method, path, body }: Route) => {
  const schema = jsonSchema(body, 'input');
  if (method === 'POST') return { requestBody: { required: true, content: { 'application/json': { schema } } } };
  const parameters = Object.entries(schema.properties ?? {}).map(([name, of]) => {
    const inPath = path.includes(`:${name}`);
    return { name, in: inPath ? 'path' : 'query', required: inPath, schema: of };
  });
  return parameters.length > 0 ? { parameters } : {};
};

const operation = (route: Route) => ({
  summary: route.summary,
  description: route.module ? `Needs the module \`${route.module}\` on the key.` : 'Any key will do.',
  ...inputOf(route),
  responses: {
    200: { description: 'The answer.', content: { 'application/json': { schema: jsonSchema(route.reply, 'output') } } },
    ...Object.fromEntries(
      Object.entries(PROBLEMS).map(([status, description]) => [
        status,
        { description, content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } } },
      ]),
    ),
  },
});

/** Generates the API description of `/v1` (OpenAPI 3.1) from the schemas of the routes. */
export const openApi = (routes: readonly Route[]) => ({
  openapi: '3.1.0',
  info: {
    title: 'Quipu /v1',
    version: '1',
    description: 'Company data and compliance from public registries. New fields may appear in replies; none is removed.',
    license: { name: 'Apache-2.0' },
  },
  security: [{ apiKey: [] }],
  paths: Object.fromEntries(
    [...Map.groupBy(routes, ({ path }) => templated(path))].map(([path, served]) => [
      path,
      Object.fromEntries(served.map((route) => [route.method.toLowerCase(), operation(route)])),
    ]),
  ),
  components: {
    securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
    schemas: { Problem: problemSchema },
  },
});
