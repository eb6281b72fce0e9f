import { z } from 'zod';
import { defineJob } from '../../jobs/job.ts';
import { evidenceService, PURGE_RECEIPTS } from './service/evidence.ts';

/** Deletes receipts that are no longer kept, every day. */
const purgeJob = defineJob({
  name: PURGE_RECEIPTS,
  payload: z.object({}),
  recurring: true,
  run: (_, { open }) => open(evidenceService).purge(),
});

export const complianceBrJobs = [purgeJob];
