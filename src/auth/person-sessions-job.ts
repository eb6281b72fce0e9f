import { HOUR_MS } from '../domain/time.ts';
import { recurringJob } from '../jobs/job.ts';
import { deleteEndedSessions } from './store/person-sessions.ts';

/** Job that deletes, every hour, the sessions whose time has ended, with the names and addresses of their people. */
export const personSessionsPurgeJob = recurringJob('person_sessions.purge', HOUR_MS, ({ db, now }) => deleteEndedSessions(db, now()));
