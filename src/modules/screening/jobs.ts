import { z } from 'zod';
import { defineJob } from '../../jobs/job.ts';
import { NOTIFY } from './service/notifier.ts';
import { PURGE } from './service/retention.ts';
import { RUN, TICK } from './service/runner.ts';
import { screeningService } from './service/screening.ts';

/** Looks for due screenings, every few seconds. */
const tickJob = defineJob({
  name: TICK,
  payload: z.object({}),
  recurring: true,
  run: (_, { open }) => open(screeningService).runner.tick(),
});

/** Checks batches of screenings. */
const runJob = defineJob({
  name: RUN,
  payload: z.object({}),
  run: (_, { open, signal }) => open(screeningService).runner.run(signal),
});

/** Sends the webhook of a screening. */
const notifyJob = defineJob({
  name: NOTIFY,
  payload: z.object({ id: z.uuid() }),
  run: ({ id }, { open, signal }) => open(screeningService).notifier.notify(id, signal),
});

/** Deletes old screenings, every hour. */
const purgeJob = defineJob({
  name: PURGE,
  payload: z.object({}),
  recurring: true,
  run: (_, { open }) => open(screeningService).retention.purge(),
});

export const screeningJobs = [tickJob, runJob, notifyJob, purgeJob];
