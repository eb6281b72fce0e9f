import { readFileSync } from 'node:fs';
import { buildSchema } from 'graphql';
import { ROOT } from './command.ts';

/** The schema as it is shipped. */
export const schema = buildSchema(readFileSync(`${ROOT}/schema/schema.graphql`, 'utf8'));
