import { z } from 'zod';
import { HOUR_MS } from '../domain/time.ts';
import { defineJob, recurringJob } from '../jobs/job.ts';
import { DELIVER } from './service/messages.ts';
import { webhookService } from './service/webhooks.ts';

/** Starts sending due webhooks. It does not wait for the requests, because a few receivers that hang would occupy all workers. */
const deliverJob = defineJob({
  name: DELIVER,
  payload: z.object({}),
  recurring: true,
  run: (_, { open }) => open(webhookService).sender.sendDueAndReschedule(),
});

const purgeJob = recurringJob('webhooks.purge', HOUR_MS, ({ open }) => open(webhookService).purge());

export const webhookJobs = [deliverJob, purgeJob];
