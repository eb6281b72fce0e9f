import { setTimeout as sleep } from 'node:timers/promises';
import { createDb } from '../../../../src/db/knex.ts';
import { createSender } from './sender.ts';

/**
 * A separate process that sends due deliveries, so that its memory can be measured alone. Argument: database URL. It sends the pending
 * deliveries, prints `ready`, and after any input sends the new deliveries. Then it prints `grownBytes` as JSON: the growth of its
 * resident memory during the second round.
 */
const db = createDb(process.argv[2] ?? '');
const { webhooks } = createSender(db);

async function drain(): Promise<void> {
  await webhooks.sendDue();
  while ((await db('deliveries').whereIn('state', ['pending', 'sending']).select('id')).length > 0) await sleep(50);
}

await drain();
process.stdout.write('ready\n');
await new Promise((resolve) => process.stdin.once('data', resolve));

const before = process.memoryUsage.rss();
let peak = before;
const timer = setInterval(() => {
  peak = Math.max(peak, process.memoryUsage.rss());
}, 1);
await drain();
clearInterval(timer);
process.stdout.write(`${JSON.stringify({ grownBytes: peak - before })}\n`);
process.exit(0);
