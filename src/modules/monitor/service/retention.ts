import { type AccountData, OF_KEYS } from '../../../auth/accounts/erasure.ts';
import { inBatches } from '../../../db/batches.ts';
import { toPublicId } from '../../../domain/public-ids.ts';
import { isoDate } from '../../../domain/time.ts';
import type { ServiceDeps } from '../../../service.ts';
import type { WebhookSettings } from '../../../webhooks/service/settings.ts';
import { HISTORY_KEPT_MS } from '../domain/history.ts';
import { UNCONFIRMED_KEPT_MS } from '../domain/mail-subscription.ts';
import { purgeChangeDays } from '../store/change-days.ts';
import { purgeTags } from '../store/company-tags.ts';
import { purgeUnconfirmed } from '../store/mail-subscriptions.ts';
import { purgePortfolioDays } from '../store/portfolio-days.ts';
import { purgeCancelledMonitors, purgeChanges, purgeUnwatchedCompanies } from '../store/retention.ts';
import type { MonitorSettings } from './settings.ts';

export interface RetentionDeps extends Pick<ServiceDeps, 'db' | 'now'> {
  readonly settings: Pick<MonitorSettings, 'changesKeptMs'> & Pick<WebhookSettings, 'deliveriesKeptMs'>;
}

/** Deletes rows older than the retention settings allow. */
export async function purgeOldRows({ db, now, settings }: RetentionDeps): Promise<void> {
  await inBatches((batch) => purgeChanges(db, batch), now() - settings.changesKeptMs);
  const cancelledBefore = now() - Math.max(settings.deliveriesKeptMs, settings.changesKeptMs);
  await inBatches((batch) => purgeCancelledMonitors(db, batch), cancelledBefore);
  await purgeUnwatchedCompanies(db);
  await purgeUnconfirmed(db, now() - UNCONFIRMED_KEPT_MS);
  await inBatches((batch) => purgeTags(db, batch), now());
  const firstDay = isoDate(now() - HISTORY_KEPT_MS);
  await purgeChangeDays(db, firstDay);
  await purgePortfolioDays(db, firstDay);
}

/** Monitors, tags, changes, numbers by day and mail subscriptions of an account, for its export and erasure. */
export const monitorAccountData: AccountData = {
  tables: [
    { table: 'monitors', where: OF_KEYS, hidden: ['secret', 'old_secret'] },
    { table: 'monitor_companies', where: `monitor_id IN (SELECT id FROM monitors WHERE ${OF_KEYS})` },
    { table: 'changes', where: OF_KEYS },
    { table: 'change_days', where: OF_KEYS },
    { table: 'portfolio_days', where: OF_KEYS },
    { table: 'mail_subscriptions', where: 'account_id = ?' },
    { table: 'company_tags', where: 'account_id = ?' },
  ],

  async erase(trx, { accountId, keyIds }) {
    const people: readonly string[] = await trx('mail_subscriptions').where({ account_id: accountId }).pluck('id');
    for (const table of ['mail_subscriptions', 'company_tags']) await trx(table).where({ account_id: accountId }).delete();
    const monitors: readonly string[] = await trx('monitors').whereIn('key_id', keyIds).pluck('id');
    for (const table of ['monitors', 'changes', 'change_days', 'portfolio_days']) await trx(table).whereIn('key_id', keyIds).delete();
    return [...monitors.map((id) => toPublicId('monitor', id)), ...people.map((id) => toPublicId('mailSubscription', id))];
  },

  afterErasure: purgeUnwatchedCompanies,
};
