import { Counter, Histogram, Registry } from 'prom-client';
import type { Observer, Step } from '../../domain/observer.ts';
import { SECOND_MS } from '../../domain/time.ts';

/** Seconds; few, because each is a series for every name. */
const SECONDS = [0.005, 0.025, 0.1, 0.5, 2.5, 10];
const KEYS = [1, 5, 25, 100, 500];

const STEPS: Readonly<Record<Step['kind'], readonly [name: string, label: string, help: string]>> = {
  request: ['quipu_http_request_seconds', 'route', 'HTTP requests by route; the outcome is the status.'],
  field: ['quipu_graphql_field_seconds', 'field', 'GraphQL fields that do more than read a property.'],
  batch: ['quipu_loader_batch_seconds', 'loader', 'Batches of the loaders, until the last key of each is answered.'],
  call: ['quipu_source_call_seconds', 'source', 'Calls to live sources, sites and webhooks, what was refused without a call included.'],
  sql: ['quipu_sql_seconds', 'statement', 'SQL statements by their first word.'],
  usage: ['quipu_usage_record_seconds', 'module', 'Answers that count, until they are written down.'],
};

export interface Measures {
  readonly registry: Registry;
  readonly observer: Observer;
}

/** An observer that counts and times, and the registry that it does so into. */
export function createMeasures(): Measures {
  const registry = new Registry();
  const registers = [registry];
  const times = new Map(
    Object.entries(STEPS).map(([kind, [name, label, help]]) => [
      kind,
      { label, histogram: new Histogram({ name, help, labelNames: [label, 'outcome'], buckets: SECONDS, registers }) },
    ]),
  );
  const batches = new Histogram({
    name: 'quipu_loader_batch_keys',
    help: 'Keys that a batch of a loader asks for.',
    labelNames: ['loader'],
    buckets: KEYS,
    registers,
  });
  const answers = new Counter({
    name: 'quipu_loader_answers_total',
    help: 'Answers of the loaders: hit (kept, fresh), stale (kept, being refreshed), miss (fetched).',
    labelNames: ['loader', 'outcome'],
    registers,
  });
  const refusals = new Counter({
    name: 'quipu_rate_refusals_total',
    help: 'Times that a key was told to wait, by module; graphql for the cost of operations.',
    labelNames: ['module'],
    registers,
  });
  const observer: Observer = {
    begin({ kind, name, size }) {
      const startedAt = performance.now();
      const time = times.get(kind);
      if (size !== undefined) batches.observe({ loader: name }, size);
      return {
        within: (work) => work(),
        end: (outcome) => time?.histogram.observe({ [time.label]: name, outcome }, (performance.now() - startedAt) / SECOND_MS),
      };
    },
    answered: (loader, outcome) => answers.inc({ loader, outcome }),
    held: (module) => refusals.inc({ module }),
  };
  return { registry, observer };
}
