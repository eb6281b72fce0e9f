import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { z } from 'zod';
import { defineJob, toTask } from '../../src/jobs/job.ts';
import { memoryLog } from '../support/log.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const heap = (): number => {
  collectGarbage();
  return getHeapStatistics().used_heap_size;
};

it('a task retains less than 20 bytes of heap per run of its job', async () => {
  const job = defineJob({ name: 'test', payload: z.object({}), run: async () => undefined });
  const { signal } = new AbortController();
  const task = toTask(
    job,
    {
      open: () => {
        throw new Error('opens nothing');
      },
      db: null as never,
      now: Date.now,
      log: memoryLog().log,
      signal,
    },
    signal,
  );
  const run = async (times: number) => {
    for (let i = 0; i < times; i += 1) await task({}, {} as never);
  };
  await run(2_000);
  const before = heap();
  const runs = 100_000;
  await run(runs);
  expect((heap() - before) / runs).toBeLessThan(20);
});
