import { createDb } from '../../../../src/db/knex.ts';
import { publish } from '../../../../src/modules/monitor/service/publish.ts';
import { createSender } from './sender.ts';

/**
 * A separate process that publishes changes, sends them, and blocks at one point until it is killed.
 * Arguments: database URL, tax ids separated by commas, point, and at which time of passing it to stop. Each tax id changes in a
 * transaction of its own. It prints `there` when it reaches the point.
 */
const [url = '', taxIds = '', point = '', nth = '1'] = process.argv.slice(2);
let passed = 0;

async function pass(here: string): Promise<void> {
  if (here !== point) return;
  passed += 1;
  if (passed !== Number(nth)) return;
  process.stdout.write('there\n');
  await new Promise(() => setInterval(() => undefined, 1_000));
}

const db = createDb(url);
const { webhooks } = createSender(db, {
  between: (client) => ({
    ...client,
    async request(request) {
      await pass('claimed');
      const answer = await client.request(request);
      await pass('answered');
      return answer;
    },
  }),
});

for (const taxId of taxIds.split(',')) {
  const change = {
    company: { country: 'BR', taxId },
    source: 'receita_federal',
    fields: [{ field: 'size', from: null, to: 'small' }],
  } as const;
  await db.transaction(async (trx) => {
    await publish(trx, [change], Date.now());
    await pass('before the commit');
  });
  await pass('after the commit');
  await webhooks.sendDue();
}
