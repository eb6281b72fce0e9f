import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { type CompanyKey, companyKeyText } from '../../../domain/company.ts';
import type { SourceName } from '../../../domain/source-names.ts';
import { enqueue } from '../../../jobs/job.ts';
import { type FieldChange, isListNews } from '../domain/change.ts';
import { receiverHost, toPayload } from '../domain/delivery.ts';
import { toPublicId } from '../domain/ids.ts';
import { appendChanges, type NewChange } from '../store/change-log.ts';
import { addDeliveries } from '../store/delivery-queue.ts';
import { type Watcher, watchersOf } from '../store/receivers.ts';

/** A change of one company, whoever watches it. */
export interface CompanyChange {
  readonly company: CompanyKey;
  readonly source: SourceName;
  readonly fields: readonly FieldChange[];
  /** Epoch ms. */
  readonly detectedAt: number;
}

/** The job that sends what is due. */
export const DELIVER = 'monitor.deliver';

/**
 * Tells every monitor that watches: a row of the change log each, and where its webhook is to hear of it, a delivery with the job that
 * sends it. Part of the transaction that moves the snapshots; the last thing it does, since the log stays locked until it commits.
 */
export async function publish(trx: Knex, changes: readonly CompanyChange[], now: number): Promise<void> {
  const watchers = await watchersOf(
    trx,
    changes.map(({ company }) => company),
  );
  const told = changes.flatMap((change) =>
    (watchers.get(companyKeyText(change.company)) ?? []).map((watcher) => ({ watcher, change: toldTo(watcher, change) })),
  );
  const deliveries = told.filter(({ watcher, change }) => watcher.listNews || !isListNews(change.fields)).map(toDelivery);
  await addDeliveries(trx, deliveries, now);
  if (deliveries.some(({ send }) => send)) await enqueue(trx, DELIVER, {}, { key: DELIVER });
  await appendChanges(
    trx,
    told.map(({ change }) => change),
  );
}

const toldTo = ({ monitorId, keyId, identifier }: Watcher, change: CompanyChange): NewChange => ({
  ...change,
  id: randomUUID(),
  monitorId,
  keyId,
  identifier,
});

const toDelivery = ({ watcher, change }: { watcher: Watcher; change: NewChange }) => ({
  monitorId: watcher.monitorId,
  keyId: watcher.keyId,
  changeId: change.id,
  eventId: toPublicId('change', change.id),
  body: JSON.stringify(toPayload(toPublicId('monitor', watcher.monitorId), { ...change, country: change.company.country })),
  host: receiverHost(watcher.webhookUrl),
  subject: change.company.taxId,
  send: !watcher.disabled,
});
