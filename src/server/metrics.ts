import fastify, { type FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { Figure } from '../domain/figure.ts';

/**
 * A server for `GET /metrics` alone, not yet listening: what is in the registry, the figures, read when they are asked for, and those of Node itself. A figure
 * that cannot be read is left out and the rest is answered.
 */
export async function createMetricsServer(
  figures: readonly Figure[],
  log: Logger,
  registry: Registry = new Registry(),
): Promise<FastifyInstance> {
  collectDefaultMetrics({ register: registry });
  for (const figure of figures) registry.registerMetric(gaugeOf(figure, log));
  const server = fastify({ forceCloseConnections: true });
  server.get('/metrics', async (_, reply) => {
    const text = await registry.metrics();
    return reply.type(registry.contentType).send(text);
  });
  return server;
}

function gaugeOf({ name, help, label, read }: Figure, log: Logger): Gauge {
  return new Gauge({
    name,
    help,
    labelNames: label === undefined ? [] : [label],
    registers: [],
    async collect() {
      this.reset();
      // A number without a label would else be 0, which is an answer.
      if (label === undefined) this.remove();
      try {
        for (const { of = '', value } of await read()) this.set(label === undefined ? {} : { [label]: of }, value);
      } catch (error) {
        log.warn({ figure: name, why: (error as Error).message }, 'a figure could not be read');
      }
    },
  });
}
