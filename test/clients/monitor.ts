import { inject } from 'vitest';
import { DEBARRED } from './portfolio.ts';

/** Events of the deliveries of one monitor. */
export const DELIVERIES = 'subscription Deliveries($monitorId: ID!) { deliveryUpdated(monitorId: $monitorId) { id } }';

/** Sends an operation by plain HTTP. @throws Error for an answer with errors */
export async function query(text: string, variables: object = {}) {
  const answer = await fetch(`${inject('url')}/graphql`, {
    method: 'POST',
    headers: { 'x-api-key': inject('key'), 'content-type': 'application/json' },
    body: JSON.stringify({ query: text, variables }),
  });
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects of an answer
  const { data, errors } = (await answer.json()) as any;
  if (errors) throw new Error(JSON.stringify(errors));
  return data;
}

/** Creates a monitor whose webhook the sandbox receives. `sendTest` sends test deliveries until one is received by a subscription. */
export async function createMonitor(name: string) {
  const input = { identifiers: [DEBARRED], country: 'BR', webhookUrl: `${inject('sandbox')}/_control/webhooks/${name}` };
  const { createMonitor } = await query(
    'mutation ($input: CreateMonitorInput!) { createMonitor(input: $input) { secret monitor { id } } }',
    { input },
  );
  const monitorId: string = createMonitor.monitor.id;
  async function sendTest<T>(received: Promise<T>): Promise<T> {
    let isOver = false;
    void received.finally(() => {
      isOver = true;
    });
    for (let sent = 0; !isOver && sent < 10; sent++) {
      await query('mutation ($id: ID!) { testMonitor(input: { id: $id }) { delivery { id } } }', { id: monitorId });
      await Promise.race([received, new Promise((resolve) => setTimeout(resolve, 2_000))]);
    }
    return received;
  }
  return { monitorId, secret: createMonitor.secret as string, sendTest };
}
