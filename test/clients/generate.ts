import { writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { generate } from '@graphql-codegen/cli';
import { preset } from '@graphql-codegen/client-preset';
import { buildSchema, isInterfaceType, isObjectType } from 'graphql';
import openapi, { astToString } from 'openapi-typescript';
import { type GeneratedFile, headOf, pathOf } from './client-inputs.ts';
import { ROOT } from './command.ts';

/** The generated files of clients/typescript, by name, from `schema/`. Run as a program, this file writes them. */
export async function generateClient(): Promise<Readonly<Record<GeneratedFile, string>>> {
  const api = JSON.parse(await readFile(`${ROOT}/schema/openapi.json`, 'utf8'));
  const schema = await readFile(`${ROOT}/schema/schema.graphql`, 'utf8');
  return {
    'graphql.ts': [headOf('graphql.ts'), await operations()].join('\n'),
    'caches.ts': [headOf('caches.ts'), cachesOf(schema)].join('\n'),
    'rest.ts': [headOf('rest.ts'), codesOf(api), astToString(await openapi(api, { defaultNonNullable: false }))].join('\n'),
  };
}

/** Types and documents of the operations that are shipped. */
async function operations(): Promise<string> {
  const files: { readonly filename: string; readonly content: string }[] = await generate(
    {
      schema: `${ROOT}/schema/schema.graphql`,
      documents: `${ROOT}/schema/operations/*.graphql`,
      generates: {
        'out/': {
          preset,
          presetConfig: { fragmentMasking: false },
          config: {
            enumsAsTypes: true,
            useTypeImports: true,
            scalars: { Date: 'string', DateTime: 'string', Decimal: 'string', URL: 'string' },
          },
        },
      },
      silent: true,
    },
    false,
  );
  const file = files.find(({ filename }) => filename.endsWith('graphql.ts'));
  if (!file) throw new Error('graphql-codegen generated no types');
  return `${file.content.replace('/* eslint-disable */\n', '')}\n`;
}

/**
 * What normalised caches need to know of every object type: objects with an `id` are entities. Types without one are answers of registries,
 * pages of lists, results of mutations: to a cache they are parts of the object that has them.
 */
function cachesOf(text: string): string {
  const schema = buildSchema(text);
  const types = Object.values(schema.getTypeMap()).filter((type) => !type.name.startsWith('__'));
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  const objects = types.filter((type) => isObjectType(type) && !roots.includes(type)).filter(isObjectType);
  const listOf = (names: readonly string[]) => `[\n${names.map((name) => `  '${name}',\n`).join('')}]`;
  const entities = objects.filter((type) => type.getFields().id).map(({ name }) => name);
  const parts = objects.filter((type) => !type.getFields().id).map(({ name }) => name);
  const possible = types.filter(isInterfaceType).map((type) => [type.name, schema.getPossibleTypes(type).map(({ name }) => name)] as const);
  return `/** Types of objects with an \`id\`. */
const ENTITIES = ${listOf(entities)};

/** Types of objects without an identity. */
const PARTS = ${listOf(parts)};

/**
 * For Apollo Client: \`new InMemoryCache({ typePolicies, possibleTypes })\`. Objects without an id belong to the object around them; its own rule
 * for the others is the right one: by their \`id\`, where the operation selected it.
 */
export const typePolicies: Record<string, { keyFields: false; merge: true }> = Object.fromEntries(
  PARTS.map((name) => [name, { keyFields: false, merge: true }]),
);

export const possibleTypes: Record<string, string[]> = ${JSON.stringify(Object.fromEntries(possible))};

/**
 * For urql's Graphcache: \`cacheExchange({ keys })\`. An object with an id that the operation did not select belongs to the object around it, as those do
 * that have none.
 */
export const keys: Record<string, (data: { readonly id?: unknown }) => string | null> = {
  ...Object.fromEntries(ENTITIES.map((name) => [name, ({ id }: { readonly id?: unknown }) => (typeof id === 'string' ? id : null)])),
  ...Object.fromEntries(PARTS.map((name) => [name, () => null])),
};
`;
}

/** The codes of the problem documents, from the examples of the errors. */
function codesOf(api: { readonly components: { readonly responses: object } }): string {
  const found = [...JSON.stringify(api.components.responses).matchAll(/"code":"(\w+)"/g)].map(([, code = '']) => code.toUpperCase());
  const codes = [...new Set(found)].sort().map((code) => `  | '${code}'`);
  return `/** Error codes of REST, in upper case. */\nexport type ProblemCode =\n${codes.join('\n')};\n`;
}

if (import.meta.main) for (const [name, text] of Object.entries(await generateClient())) writeFileSync(`${ROOT}/${pathOf(name)}`, text);
