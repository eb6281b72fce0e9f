import { z } from 'zod';
import { defineJob } from '../../jobs/job.ts';
import { JUDGE_LIST, listNewsService } from './service/list-news.ts';
import { LISTS } from './service/lists.ts';

/** Looks for news of the watched companies in the edition of a list. */
export const listJob = defineJob({
  name: JUDGE_LIST,
  payload: z.object({ list: z.enum(LISTS.map(({ list }) => list)) }),
  run: ({ list }, { open }) => open(listNewsService).judge(list),
});
