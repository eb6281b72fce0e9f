/** A receiver of webhooks: it verifies the signature, responds at once, and processes each event once. Needs the package fastify. */
import { QuipuError, verifyWebhook, type WebhookEvent } from '@quipu/client';
import fastify, { type FastifyInstance } from 'fastify';

export interface ReceiverOptions {
  /** Secret of the monitor, `whsec_…`. */
  readonly secret: string;
  /** Stores the event, for example in a queue. If it fails, the response is 500 and the event is sent again (retry policy `standard`). */
  readonly store: (event: WebhookEvent) => Promise<void>;
  /**
   * Returns true if an event of this id was stored. Use a table and not the memory of the process, because the same event can be sent
   * twice.
   */
  readonly isStored: (eventId: string) => Promise<boolean>;
}

export function createReceiver({ secret, store, isStored }: ReceiverOptions): FastifyInstance {
  const server = fastify({ bodyLimit: 64 * 1024 });
  // The signature covers the received bytes, so no parser may change them.
  server.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  server.post<{ Body: string }>('/hook', async ({ headers, body }, reply) => {
    const event = await verifyWebhook(secret, headers, body);
    if (!(await isStored(event.event_id))) await store(event);
    return reply.status(204).send();
  });
  server.setErrorHandler((error, _request, reply) => {
    const isForged = error instanceof QuipuError && error.code === 'INVALID_SIGNATURE';
    return reply.status(isForged ? 400 : 500).send();
  });
  return server;
}
