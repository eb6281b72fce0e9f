import { z } from 'zod';
import { HOUR_MS, MINUTE_MS } from '../../domain/time.ts';
import { defineJob, recurringJob } from '../../jobs/job.ts';
import { WATCHED_COUNTRIES } from './domain/monitor.ts';
import { CHECK, CHECK_CO, TICK } from './service/checks.ts';
import { COMPARISONS } from './service/compared-lists.ts';
import { MAIL, MAIL_TICK } from './service/digests.ts';
import { CHECK_LIST } from './service/list-checks.ts';
import { INVITE } from './service/mail-subscriptions.ts';
import { monitorService } from './service/monitor.ts';
import { LEVELS } from './service/portfolio-levels.ts';

/** Polls for due work, every few seconds. */
const tickJob = defineJob({
  name: TICK,
  payload: z.object({}),
  recurring: true,
  run: (_, { open }) => open(monitorService).checks.tick(),
});

/** Creates a job that checks the due companies of a country. */
const checkJob = (name: string) =>
  defineJob({
    name,
    payload: z.object({ country: z.enum(WATCHED_COUNTRIES) }),
    run: ({ country }, { open, signal }) => open(monitorService).checks.check(country, signal),
  });

/** Compares the watched companies with the current version of a list. `list` is an `ObservationKey`. */
const checkListJob = defineJob({
  name: CHECK_LIST,
  payload: z.object({ list: z.enum(COMPARISONS.map(({ key }) => key)) }),
  run: ({ list }, { open, signal }) => open(monitorService).lists.compare(list, signal),
});

const purgeJob = recurringJob('monitor.purge', HOUR_MS, ({ open }) => open(monitorService).purge());

/** Records the levels of portfolios, once a day per key. */
const levelsJob = defineJob({
  name: LEVELS,
  payload: z.object({}),
  recurring: true,
  run: (_, { open, signal }) => open(monitorService).levels.record(signal),
});

const mailTickJob = recurringJob(MAIL_TICK, MINUTE_MS, ({ open }) => open(monitorService).digests.tick());

/** Sends the mail of a local day to a person. `id` is the UUID of the subscription. */
const mailJob = defineJob({
  name: MAIL,
  payload: z.object({ id: z.uuid(), day: z.iso.date() }),
  run: ({ id, day }, { open }) => open(monitorService).digests.send(id, day),
});

/** Sends the mail that asks a person to confirm the address. */
const inviteJob = defineJob({
  name: INVITE,
  payload: z.object({ id: z.uuid() }),
  run: ({ id }, { open }) => open(monitorService).digests.invite(id),
});

export const monitorJobs = [
  tickJob,
  checkJob(CHECK),
  checkJob(CHECK_CO),
  checkListJob,
  purgeJob,
  levelsJob,
  mailTickJob,
  mailJob,
  inviteJob,
];
