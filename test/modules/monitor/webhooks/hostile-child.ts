import { setTimeout as sleep } from 'node:timers/promises';
import { createDb } from '../../../../src/db/knex.ts';
import { createSender } from './sender.ts';

/**
 * A process of its own that sends what is due, so that nobody else's memory is measured with it. Argument: database URL. It sends what
 * waits, prints `ready`, and once it is told anything sends what came meanwhile; then it prints as JSON `grownBytes`, how far its
 * resident memory rose for that.
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
