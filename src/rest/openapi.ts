import { z } from 'zod';
import type { Route } from './route.ts';

const PROBLEMS: Readonly<Record<string, string>> = {
  400: 'The body is not valid JSON.',
  403: 'missing_api_key, invalid_api_key or module_not_enabled.',
  404: 'company_not_found or domain_not_resolved, where absence is an error.',
  413: 'The body is larger than 1 MiB.',
  422: 'invalid_input or unsupported_country; `errors` names the fields.',
  503: 'source_unavailable; see Retry-After.',
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

/** The API description of `/v1` (OpenAPI 3.1), from the routes' own shapes. */
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
    routes.map(({ path, method, summary, module, body, reply }) => [
      path,
      {
        [method.toLowerCase()]: {
          summary,
          description: `Needs the module \`${module}\` on the key.`,
          requestBody: { required: true, content: { 'application/json': { schema: jsonSchema(body, 'input') } } },
          responses: {
            200: { description: 'The answer.', content: { 'application/json': { schema: jsonSchema(reply, 'output') } } },
            ...Object.fromEntries(
              Object.entries(PROBLEMS).map(([status, description]) => [
                status,
                { description, content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } } },
              ]),
            ),
          },
        },
      },
    ]),
  ),
  components: {
    securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key' } },
    schemas: { Problem: problemSchema },
  },
});
