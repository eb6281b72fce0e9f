import fastify, { type FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { Counter, collectDefaultMetrics, Histogram, Gauge as PrometheusGauge, Registry } from 'prom-client';
import type { Gauge } from '../../db/gauges.ts';
import { SECOND_MS } from '../../domain/time.ts';
import type { Observer, SpanInfo } from '../../observer.ts';

/** Histogram buckets in seconds. They are few, because every bucket is one time series for each name. */
const DURATION_BUCKETS = [0.005, 0.025, 0.1, 0.5, 2.5, 10];
const KEY_COUNT_BUCKETS = [1, 5, 25, 100, 500];

const DURATIONS: Readonly<Record<SpanInfo['kind'], readonly [name: string, label: string, help: string]>> = {
  request: ['quipu_http_request_seconds', 'route', 'HTTP requests by route; the outcome is the status.'],
  field: ['quipu_graphql_field_seconds', 'field', 'GraphQL fields that do more than read a property.'],
  batch: ['quipu_loader_batch_seconds', 'loader', 'Batches of the loaders, until the last key of each is answered.'],
  call: ['quipu_source_call_seconds', 'source', 'Calls to live sources, sites and webhooks, what was refused without a call included.'],
  sql: ['quipu_sql_seconds', 'statement', 'SQL statements by their first word.'],
  usage: ['quipu_usage_record_seconds', 'module', 'Answers that count, until they are written down.'],
};

export interface Metrics {
  readonly registry: Registry;
  readonly observer: Observer;
}

/** Creates a Prometheus registry and the observer that records into it: one histogram for each kind of span, and three counters. */
export function createMetrics(): Metrics {
  const registry = new Registry();
  const registers = [registry];
  const durations = new Map(
    Object.entries(DURATIONS).map(([kind, [name, label, help]]) => [
      kind,
      { label, histogram: new Histogram({ name, help, labelNames: [label, 'outcome'], buckets: DURATION_BUCKETS, registers }) },
    ]),
  );
  const batches = new Histogram({
    name: 'quipu_loader_batch_keys',
    help: 'Number of keys in a batch of a loader.',
    labelNames: ['loader'],
    buckets: KEY_COUNT_BUCKETS,
    registers,
  });
  const answers = new Counter({
    name: 'quipu_loader_answers_total',
    help: 'Cache lookups of the loaders: hit (cached, fresh), stale (cached, being refreshed), miss (fetched).',
    labelNames: ['loader', 'outcome'],
    registers,
  });
  const refusals = new Counter({
    name: 'quipu_rate_refusals_total',
    help: 'Requests that were refused by a rate limit, by module; graphql for the cost of operations.',
    labelNames: ['module'],
    registers,
  });
  const executions = new Counter({
    name: 'quipu_graphql_executions_total',
    help: 'GraphQL operations by POST or GET that the compiled executor executed, and those that graphql-js executed, with the reason.',
    labelNames: ['outcome'],
    registers,
  });
  const observer: Observer = {
    startSpan({ kind, name, size }) {
      const startedAt = performance.now();
      const duration = durations.get(kind);
      if (size !== undefined) batches.observe({ loader: name }, size);
      return {
        run: (work) => work(),
        end: (outcome) => duration?.histogram.observe({ [duration.label]: name, outcome }, (performance.now() - startedAt) / SECOND_MS),
      };
    },
    countLoaderAnswer: (loader, outcome) => answers.inc({ loader, outcome }),
    countExecution: (outcome) => executions.inc({ outcome }),
    countRateLimitRefusal: (module) => refusals.inc({ module }),
  };
  return { registry, observer };
}

/**
 * Creates a server for `GET /metrics`, not yet listening. It prints the registry, the gauges and the default metrics of Node. Gauges are
 * read at each scrape. A gauge that cannot be read is omitted and logged.
 */
export async function createMetricsServer(
  gauges: readonly Gauge[],
  log: Logger,
  registry: Registry = new Registry(),
): Promise<FastifyInstance> {
  collectDefaultMetrics({ register: registry });
  for (const gauge of gauges) registry.registerMetric(toPrometheus(gauge, log));
  const server = fastify({ forceCloseConnections: true });
  server.get('/metrics', async (_, reply) => {
    const text = await registry.metrics();
    return reply.type(registry.contentType).send(text);
  });
  return server;
}

function toPrometheus({ name, help, labelName, read }: Gauge, log: Logger): PrometheusGauge {
  return new PrometheusGauge({
    name,
    help,
    labelNames: labelName === undefined ? [] : [labelName],
    registers: [],
    async collect() {
      this.reset();
      // reset() sets a gauge without labels to 0, which would be printed as its value if the read fails.
      if (labelName === undefined) this.remove();
      try {
        for (const { label = '', value } of await read()) this.set(labelName === undefined ? {} : { [labelName]: label }, value);
      } catch (err) {
        log.warn({ gauge: name, err }, 'gauge could not be read');
      }
    },
  });
}
