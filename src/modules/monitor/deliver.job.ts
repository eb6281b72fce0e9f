import { z } from 'zod';
import { defineJob } from '../../jobs/job.ts';
import { DELIVER } from './service/publish.ts';
import { webhooksService } from './service/webhooks.ts';

/** Sends the webhooks that are due. It only begins to: six receivers that hang would hold up every other job. */
export const deliverJob = defineJob({
  name: DELIVER,
  payload: z.object({}),
  standing: true,
  run: (_, { open }) => open(webhooksService).pumpAndLookAgain(),
});
