import fastify, { type FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { collectDefaultMetrics, Gauge as PrometheusGauge, Registry } from 'prom-client';
import type { Gauge } from '../domain/gauge.ts';

/**
 * Creates a server for `GET /metrics`, not yet listening. It prints the registry, the gauges and the default metrics of Node.
 * Gauges are read at each scrape. A gauge that cannot be read is left out of the answer and logged.
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
