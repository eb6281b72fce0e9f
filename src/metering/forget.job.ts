import { z } from 'zod';
import { HOUR_MS } from '../domain/time.ts';
import { defineJob, enqueue, type Job } from '../jobs/job.ts';
import type { Idempotency } from './idempotency.ts';
import type { UpkeepDeps } from './reconcile.job.ts';

const NAME = 'idempotency.purge';

/** Every hour: forgets what Idempotency-Keys came to more than a day ago. */
export const forgetJob = ({ db, now, idempotency }: UpkeepDeps & { readonly idempotency: Idempotency }): Job =>
  defineJob({
    name: NAME,
    payload: z.object({}),
    standing: true,
    async run() {
      await idempotency.purge();
      await enqueue(db, NAME, {}, { key: NAME, runAt: now() + HOUR_MS });
    },
  });
