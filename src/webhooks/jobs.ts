import { z } from 'zod';
import { defineJob } from '../jobs/job.ts';
import { DELIVER } from './service/messages.ts';
import { PURGE } from './service/retention.ts';
import { webhookService } from './service/webhooks.ts';

/** Starts sending due webhooks. It does not wait for the requests, because a few receivers that hang would occupy all workers. */
const deliverJob = defineJob({
  name: DELIVER,
  payload: z.object({}),
  recurring: true,
  run: (_, { open }) => open(webhookService).sender.sendDueAndReschedule(),
});

/** Deletes old deliveries and repairs hosts without slots, every hour. */
const purgeJob = defineJob({
  name: PURGE,
  payload: z.object({}),
  recurring: true,
  run: (_, { open }) => open(webhookService).retention.purge(),
});

export const webhookJobs = [deliverJob, purgeJob];
