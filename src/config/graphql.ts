import { z } from 'zod';
import { flag } from './values.ts';

/** Settings of the GraphQL endpoint. */
export const graphqlSettings = {
  QUIPU_INTROSPECTION: {
    schema: flag('true'),
    description: 'true: callers with a key may use introspection; false: nobody may, and error messages contain no suggestions.',
  },
  QUIPU_TRUSTED_DOCUMENTS_ONLY: {
    schema: flag('false'),
    description: 'true: GraphQL runs registered documents only (quipu documents), for all keys.',
  },
  QUIPU_DEADLINE: {
    schema: z
      .string()
      .regex(/^([1-9]|1[0-4])s$/, 'expected 1s to 14s')
      .default('12s'),
    description: 'Time limit of a GraphQL operation, 1s to 14s; fields without a result then are null, with DEADLINE_EXCEEDED.',
  },
} as const;
