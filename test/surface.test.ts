import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type GraphQLObjectType, isEnumType, isObjectType, lexicographicSortSchema, printSchema } from 'graphql';
import { describe, expect, it } from 'vitest';
import { MODULES } from '../src/domain/catalogue.ts';
import { buildSchema } from '../src/graphql/schema.ts';
import { modules } from '../src/modules/index.ts';
import { coreRoutes } from '../src/rest/account-routes.ts';
import { openApi } from '../src/rest/openapi.ts';

const root = path.resolve(import.meta.dirname, '..');
const schema = buildSchema(modules.flatMap(({ resolvers }) => resolvers));
const types = Object.values(schema.getTypeMap()).filter((type) => !type.name.startsWith('__'));
const ROOTS = ['Query', 'Mutation', 'Subscription'];
const fieldsOf = (name: string) => Object.values((schema.getType(name) as GraphQLObjectType).getFields());

describe('the surface', () => {
  it('is printed as committed: GraphQL', () => {
    expect(`${printSchema(lexicographicSortSchema(schema))}\n`).toBe(readFileSync(path.join(root, 'schema/schema.graphql'), 'utf8'));
  });

  it('is printed as committed: REST', () => {
    const printed = `${JSON.stringify(openApi([...coreRoutes, ...modules.flatMap(({ routes }) => routes)]), null, 2)}\n`;
    expect(printed).toBe(readFileSync(path.join(root, 'schema/openapi.json'), 'utf8'));
  });

  it('describes every type, field, argument and enum value', () => {
    const bare = types.flatMap((type) => [
      ...(type.description || ROOTS.includes(type.name) ? [] : [type.name]),
      ...(isEnumType(type) ? type.getValues().filter(({ description }) => !description) : []).map(({ name }) => `${type.name}.${name}`),
      ...(isObjectType(type) ? Object.values(type.getFields()) : []).flatMap((field) => [
        ...(field.description ? [] : [`${type.name}.${field.name}`]),
        ...field.args.filter(({ description }) => !description).map(({ name }) => `${type.name}.${field.name}(${name})`),
      ]),
    ]);
    expect(bare.filter((name) => !/^(Boolean|Float|ID|Int|String)$/.test(name))).toEqual([]);
  });

  it('GQ-07 ships no root field and no resolved Company field without a rule of who may read it', () => {
    const plain = ['id', 'country', 'identifier', 'formattedIdentifier'];
    const ruled = [...ROOTS.flatMap(fieldsOf), ...fieldsOf('Company').filter(({ name }) => !plain.includes(name))];
    const rules = ruled.map(({ name, extensions }) => [name, extensions.access] as const);
    expect(rules.filter(([, rule]) => rule !== 'any_key' && !MODULES.some((module) => module === rule))).toEqual([]);
  });

  it('has one REST endpoint or more for each module, each with its module', () => {
    expect(modules.every(({ routes }) => routes.length > 0 && routes.every(({ module }) => MODULES.includes(module)))).toBe(true);
  });
});
