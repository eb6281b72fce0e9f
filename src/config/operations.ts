import { z } from 'zod';
import { atLeast, flag, retention } from './values.ts';

/** Settings of the GraphQL endpoint. */
export const graphqlSettings = {
  QUIPU_INTROSPECTION: {
    schema: flag('true'),
    description: 'true: callers with a key may use introspection; false: nobody may, and error messages contain no suggestions.',
  },
  QUIPU_FEDERATION: {
    schema: flag('false'),
    description:
      'true: the service is a subgraph of Apollo Federation 2, for a router: GraphQL has _service, which returns the schema to every key, and _entities.',
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

/** Settings of operation. */
export const operationsSettings = {
  QUIPU_WORKERS: {
    schema: z.coerce
      .number('expected 1 to 32')
      .int('expected a whole number')
      .min(1, 'expected 1 to 32')
      .max(32, 'expected 1 to 32')
      .default(1),
    description:
      'Number of server processes behind the port, 1 to 32, for machines with several cores; also npm start -- --workers 2. Above 1 this needs Linux.',
  },
  QUIPU_MAX_CONNECTIONS: {
    schema: atLeast(1).default(10_000),
    description:
      'Maximum number of open connections of a process, including sockets and event streams; further ones are closed without an answer.',
  },
  QUIPU_EXECUTIONS: {
    schema: atLeast(1).default(200),
    description:
      'Maximum number of requests, GraphQL operations and events of subscriptions that a process executes at once. As many more wait; further ones get 503.',
  },
  QUIPU_EXECUTIONS_PER_KEY: {
    schema: atLeast(1).default(100),
    description: 'Maximum number of those that one API key may have in execution. As many more of the key wait; further ones get 429.',
  },
  QUIPU_LOOP_DELAY: {
    schema: atLeast(10).default(100),
    description:
      'Limit of the average event loop delay in ms, 10 or more. Above it, the process executes fewer requests at once, down to 10 % of QUIPU_EXECUTIONS, and further requests get 503.',
  },
  QUIPU_HEAP_SHARE: {
    schema: z.coerce.number().min(0.1, 'expected 0.1 to 0.95').max(0.95, 'expected 0.1 to 0.95').default(0.7),
    description:
      'Share of the heap limit of the process, 0.1 to 0.95, that may be in use after a full garbage collection. Above it, only 1 % of QUIPU_EXECUTIONS run at once, and further requests get 503.',
  },
  QUIPU_CACHE_BYTES: {
    schema: z.coerce.number().int('expected a whole number').min(1_000_000, 'expected at least 1000000').optional(),
    description:
      'Limit of the memory of cached answers and of the JSON texts kept with them, in bytes, 1000000 or more. The default is a quarter of the heap limit of the process. The least recently used answers are evicted first.',
  },
  QUIPU_DRAIN: {
    schema: z
      .string()
      .regex(/^[0-8]s$/, 'expected 0s to 8s')
      .default('0s'),
    description: 'Time for which a stopping process accepts requests while /readyz answers 503, so that load balancers notice.',
  },
  QUIPU_USAGE_KEPT: {
    schema: retention('731d').refine((text) => Number.parseInt(text, 10) >= 93, 'expected 93d or more'),
    description: 'Time for which usage records are kept, in days, 93d or more. Monthly totals are kept without limit.',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    schema: z.url({ protocol: /^https?$/ }).optional(),
    description: 'Collector of traces, OTLP over HTTP, e.g. http://collector:4318; no traces if not set.',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    schema: z.coerce.number().min(0).max(1).default(1),
    description: 'Share of requests that are traced, 0 to 1.',
  },
} as const;
