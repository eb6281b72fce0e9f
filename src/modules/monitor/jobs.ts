import { z } from 'zod';
import { defineJob } from '../../jobs/job.ts';
import { CHECK, sweepService, TICK } from './service/checks.ts';
import { JUDGE_LIST, LISTS, listNewsService } from './service/list-checks.ts';
import { DELIVER } from './service/publish.ts';
import { PURGE, retentionService } from './service/retention.ts';
import { webhooksService } from './service/webhook-sender.ts';

/** Looks at what is due, every few seconds. */
export const tickJob = defineJob({
  name: TICK,
  payload: z.object({}),
  recurring: true,
  run: (_, { open }) => open(sweepService).tick(),
});

/** Checks the companies of a country that are due. */
export const checkJob = defineJob({
  name: CHECK,
  payload: z.object({ country: z.enum(['BR', 'CL']) }),
  run: ({ country }, { open, signal }) => open(sweepService).check(country, signal),
});

/** Looks for news of the watched companies in the edition of a list. */
export const listJob = defineJob({
  name: JUDGE_LIST,
  payload: z.object({ list: z.enum(LISTS.map(({ list }) => list)) }),
  run: ({ list }, { open }) => open(listNewsService).judge(list),
});

/** Sends the webhooks that are due. It only begins to: six receivers that hang would hold up every other job. */
export const deliverJob = defineJob({
  name: DELIVER,
  payload: z.object({}),
  recurring: true,
  run: (_, { open }) => open(webhooksService).pumpAndLookAgain(),
});

/** Forgets what is old, every hour. */
export const purgeJob = defineJob({
  name: PURGE,
  payload: z.object({}),
  recurring: true,
  run: (_, { open }) => open(retentionService).purge(),
});
