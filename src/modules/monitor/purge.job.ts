import { z } from 'zod';
import { defineJob } from '../../jobs/job.ts';
import { PURGE, retentionService } from './service/retention.ts';

/** Forgets what is old, every hour. */
export const purgeJob = defineJob({
  name: PURGE,
  payload: z.object({}),
  standing: true,
  run: (_, { open }) => open(retentionService).purge(),
});
