import type { Knex } from 'knex';
import type { Sealer } from '../../../db/sealer.ts';
import { toPublicId } from '../../../domain/public-ids.ts';
import { isoOrNull } from '../../../domain/time.ts';
import { enqueue } from '../../../jobs/job.ts';
import type { ServiceDeps } from '../../../service.ts';
import { sendWebhook } from '../../monitor/service/webhook-request.ts';
import { type Screening, webhookRetryMs } from '../domain/screening.ts';
import { findDueWebhook, recordWebhook } from '../store/screenings.ts';
import type { ScreeningSettings } from './settings.ts';

/** Name of the job that sends the webhook of a screening. */
export const NOTIFY = 'screening.notify';

/** Enqueues the webhook of a screening. In a transaction, the job starts after the commit. */
export const enqueueWebhook = (db: Knex, id: string, runAt?: number): Promise<void> =>
  enqueue(db, NOTIFY, { id }, { key: `${NOTIFY}:${id}`, ...(runAt !== undefined && { runAt }) });

/** Sends the webhooks of screenings that are done. */
export interface Notifier {
  /**
   * Sends the webhook of a screening once. After a failure of the receiver it enqueues the next attempt, until all attempts are made.
   * @throws when the process stops or the database fails: the queue runs the job again
   */
  notify(id: string, signal: AbortSignal): Promise<void>;
}

export interface NotifierDeps extends Pick<ServiceDeps, 'db' | 'now' | 'webhooks'> {
  readonly sealer: Sealer;
  readonly settings: Pick<ScreeningSettings, 'plainHttp'>;
}

export function createNotifier({ db, now, webhooks, sealer, settings }: NotifierDeps): Notifier {
  return {
    async notify(id, signal) {
      const due = await findDueWebhook(db, id);
      if (!due?.screening.webhookUrl) return;
      const message = {
        eventId: toPublicId('screening', id),
        body: JSON.stringify(bodyOf(due.screening)),
        webhookUrl: due.screening.webhookUrl,
        secrets: [due.secret],
      };
      const outcome = await sendWebhook({ webhooks, sealer, now }, message, { publicHttp: settings.plainHttp, signal });
      if (outcome === 'stopped') throw new Error('the process stops');
      const error = outcome === 'proxy_failed' ? outcome : outcome.error && [outcome.error, outcome.status].filter(Boolean).join(' ');
      await recordWebhook(db, id, error, now());
      const wait = error === null ? null : webhookRetryMs(due.attempts + 1);
      if (wait !== null) await enqueueWebhook(db, id, now() + wait);
    },
  };
}

/** The body of the webhook. */
export interface ScreeningDone {
  readonly id: string;
  readonly type: 'screening.done';
  readonly timestamp: string | null;
  readonly data: Pick<Screening, 'name' | 'state' | 'total' | 'done' | 'failed' | 'invalid' | 'duplicates'> & {
    readonly screening_id: string;
  };
}

const bodyOf = ({ id, name, state, total, done, failed, invalid, duplicates, finishedAt }: Screening): ScreeningDone => ({
  id: toPublicId('screening', id),
  type: 'screening.done',
  timestamp: isoOrNull(finishedAt),
  data: { screening_id: toPublicId('screening', id), name, state, total, done, failed, invalid, duplicates },
});
