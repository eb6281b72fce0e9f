import { z } from 'zod';
import { flag } from './values.ts';

/** Settings of the GraphQL endpoint. */
export const graphqlSettings = {
  QUIPU_INTROSPECTION: {
    schema: flag('true'),
    description: 'true: those with a key may ask GraphQL for its schema; false: nobody may, and mistakes are answered without suggestions.',
  },
  QUIPU_TRUSTED_DOCUMENTS_ONLY: {
    schema: flag('false'),
    description: 'true: GraphQL runs documents that were registered (quipu documents) and no others, whatever the key.',
  },
  QUIPU_DEADLINE: {
    schema: z
      .string()
      .regex(/^([1-9]|1[0-4])s$/, 'expected 1s to 14s')
      .default('12s'),
    description: 'How long a GraphQL operation may work, 14s at most; fields that are open then are null, with DEADLINE_EXCEEDED.',
  },
} as const;
