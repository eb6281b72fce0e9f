import type { Knex } from 'knex';
import { z } from 'zod';
import { type Clock, DAY_MS } from '../domain/time.ts';
import { defineJob, enqueue, type Job } from '../jobs/job.ts';
import { purgeAudit } from './audit-log.ts';

const NAME = 'audit.purge';

/** Job that deletes, every day, the entries of the audit log that are older than the retention period. */
export const auditPurgeJob = ({ db, now, keptMs }: { readonly db: Knex; readonly now: Clock; readonly keptMs: number }): Job =>
  defineJob({
    name: NAME,
    payload: z.object({}),
    recurring: true,
    async run() {
      await purgeAudit(db, now() - keptMs);
      await enqueue(db, NAME, {}, { key: NAME, runAt: now() + DAY_MS });
    },
  });
