import { z } from 'zod';
import { HOUR_MS } from '../../domain/time.ts';
import { defineJob, recurringJob } from '../../jobs/job.ts';
import { RUN, TICK } from './service/runner.ts';
import { screeningService } from './service/screening.ts';
import { CHECK_PUBLISHED, NOTIFY } from './service/webhook.ts';

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

/** These jobs complete the webhooks of screenings that processes of the previous release left incomplete. */
const handoverJobs = [NOTIFY, CHECK_PUBLISHED].map((name) =>
  defineJob({
    name,
    payload: z.object({ id: z.uuid() }),
    run: ({ id }, { open }) => open(screeningService).handover.complete(id),
  }),
);

const purgeJob = recurringJob('screening.purge', HOUR_MS, ({ open }) => open(screeningService).purge());

export const screeningJobs = [tickJob, runJob, ...handoverJobs, purgeJob];
