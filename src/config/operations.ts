import { z } from 'zod';
import { retention } from './values.ts';

/** Settings of those who run the service. */
export const operationsSettings = {
  QUIPU_MAX_CONNECTIONS: {
    schema: z.coerce.number().int('expected a whole number').min(1, 'expected at least 1').max(1_000_000).default(10_000),
    description: 'Connections that a process holds at once, sockets and event streams included; those beyond are closed unanswered.',
  },
  QUIPU_DRAIN: {
    schema: z
      .string()
      .regex(/^[0-8]s$/, 'expected 0s to 8s')
      .default('0s'),
    description: 'How long a process that is told to stop goes on taking requests while /readyz says 503, so that load balancers notice.',
  },
  QUIPU_USAGE_KEPT: {
    schema: retention('731d').refine((text) => Number.parseInt(text, 10) >= 93, 'expected 93d or more'),
    description: 'How long single uses are kept, in days, 93 at least; totals of months stay.',
  },
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    schema: z.url({ protocol: /^https?$/ }).optional(),
    description: 'Collector of traces, OTLP over HTTP, e.g. http://collector:4318; no traces where not set.',
  },
  OTEL_TRACES_SAMPLER_ARG: {
    schema: z.coerce.number().min(0).max(1).default(1),
    description: 'Share of requests that are traced, 0 to 1.',
  },
} as const;
