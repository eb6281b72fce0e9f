import { readFileSync } from 'node:fs';
import { buildSchema, isObjectType } from 'graphql';
import { ROOT } from './command.ts';

/** The schema as it is shipped. */
export const schema = buildSchema(readFileSync(`${ROOT}/schema/schema.graphql`, 'utf8'));

/** Types whose objects a normalised cache cannot identify: answers of registries, pages, results of mutations. */
export const TYPES_WITHOUT_ID: readonly string[] = Object.values(schema.getTypeMap())
  .filter((type) => isObjectType(type) && !type.name.startsWith('__') && !type.getFields().id)
  .map(({ name }) => name)
  .filter((name) => !['Query', 'Mutation', 'Subscription'].includes(name));
