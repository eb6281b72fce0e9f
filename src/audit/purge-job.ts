import { DAY_MS } from '../domain/time.ts';
import { type Job, recurringJob } from '../jobs/job.ts';
import { purgeAudit } from './audit-log.ts';

/** Job that deletes, every day, the entries of the audit log that are older than the retention period. @param keptMs that period, in ms */
export const auditPurgeJob = (keptMs: number): Job => recurringJob('audit.purge', DAY_MS, ({ db, now }) => purgeAudit(db, now() - keptMs));
