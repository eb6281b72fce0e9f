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
} as const;
