import type { Knex } from 'knex';
import { z } from 'zod';
import { type Clock, HOUR_MS } from '../domain/time.ts';
import { defineJob, enqueue, type Job } from '../jobs/job.ts';
import { deleteEndedSessions } from './store/person-sessions.ts';

const NAME = 'person_sessions.purge';

/** Job that deletes, every hour, the sessions whose time has ended, with the names and addresses of their people. */
export const personSessionsPurgeJob = ({ db, now }: { readonly db: Knex; readonly now: Clock }): Job =>
  defineJob({
    name: NAME,
    payload: z.object({}),
    recurring: true,
    async run() {
      await deleteEndedSessions(db, now());
      await enqueue(db, NAME, {}, { key: NAME, runAt: now() + HOUR_MS });
    },
  });
