import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it, onTestFinished } from 'vitest';
import { appForFuzzing, sendFuzzedRequests, sendRandomLines } from '../support/fuzz-app.ts';
import { rounds } from '../support/rounds.ts';

const MIB = 1024 * 1024;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** The used heap after garbage collection. */
async function heap(): Promise<number> {
  for (let n = 0; n < 3; n += 1) {
    collectGarbage();
    await sleep(100);
  }
  return process.memoryUsage().heapUsed;
}

it('GQ-05 the service answers ten thousand fuzzed requests with less than 64 MiB of heap growth', async () => {
  const app = await appForFuzzing();
  onTestFinished(() => app.close());
  await sendFuzzedRequests(app, Math.max(500, rounds(2_500)));
  const before = await heap();
  await sendFuzzedRequests(app, Math.max(500, rounds(7_500)));
  await sendRandomLines(app, rounds(500));
  expect((await heap()) - before).toBeLessThan(64 * MIB);
});
