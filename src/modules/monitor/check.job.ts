import { z } from 'zod';
import { defineJob } from '../../jobs/job.ts';
import { CHECK, sweepService } from './service/sweep.ts';

/** Checks the companies of a country that are due. */
export const checkJob = defineJob({
  name: CHECK,
  payload: z.object({ country: z.enum(['BR', 'CL']) }),
  run: ({ country }, { open, signal }) => open(sweepService).check(country, signal),
});
