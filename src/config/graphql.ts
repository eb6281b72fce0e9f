import { flag } from './values.ts';

/** Settings of the GraphQL endpoint. */
export const graphqlSettings = {
  QUIPU_INTROSPECTION: {
    schema: flag('true'),
    description: 'true: callers with a key may use introspection; false: nobody may, and error messages contain no suggestions.',
  },
  QUIPU_COMPILED_EXECUTOR: {
    schema: flag('true'),
    description:
      'true: GraphQL queries by POST and GET are executed by the compiled executor; false: by graphql-js, with the same answers.',
  },
  QUIPU_TRUSTED_DOCUMENTS_ONLY: {
    schema: flag('false'),
    description: 'true: GraphQL runs registered documents only (quipu documents), for all keys.',
  },
} as const;
