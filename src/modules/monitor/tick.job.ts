import { z } from 'zod';
import { defineJob } from '../../jobs/job.ts';
import { sweepService, TICK } from './service/sweep.ts';

/** Looks at what is due, every few seconds. */
export const tickJob = defineJob({
  name: TICK,
  payload: z.object({}),
  standing: true,
  run: (_, { open }) => open(sweepService).tick(),
});
