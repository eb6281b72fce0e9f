import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { receiver, setup, taxIdOf } from '../modules/monitor/webhooks/support.ts';
import { rounds } from '../support/rounds.ts';

const CHANGES = rounds(1_000);
const HANGING = 10;
const BETWEEN_MS = 100;

it(`WH-08 one endpoint gets ${CHANGES} events with a p99 of 2 s at most, while ${HANGING} endpoints of its host hang`, async () => {
  const hangs = (path = '') => path.includes('hanging');
  const { webhooks, monitor, change, drain } = await setup();
  const begun = new Map<string, number>();
  const { url } = await receiver((request, response) => {
    if (hangs(request.url)) return; // until the sender gives up after 10 s
    begun.set(String(request.headers['webhook-id']), performance.now());
    response.end();
  });
  await monitor(url, { taxIds: [taxIdOf(0)] });
  await change([taxIdOf(0)]);
  await drain();
  for (let n = 1; n <= HANGING; n += 1) await monitor(`${url}/hanging/${n}`, { taxIds: [taxIdOf(n)] });
  const published: number[] = [];
  for (let n = 0; n < CHANGES; n += 1) {
    if (n % 10 === 0) await change(Array.from({ length: HANGING }, (_, i) => taxIdOf(i + 1)));
    published.push(performance.now());
    await change([taxIdOf(0)]);
    void webhooks.sendDue();
    await sleep(BETWEEN_MS);
  }
  await expect.poll(() => begun.size, { timeout: 60_000 }).toBe(1 + CHANGES);
  const [, ...arrived] = [...begun.values()].toSorted((a, b) => a - b); // one company: in the order of its changes
  const delays = arrived.map((at, i) => at - (published[i] ?? 0)).toSorted((a, b) => a - b);
  const p99 = delays[Math.ceil(delays.length * 0.99) - 1];
  console.log(`p99 ${Math.round(p99 ?? 0)} ms of ${delays.length} events`);
  expect(p99).toBeLessThanOrEqual(2_000);
}, 600_000);
