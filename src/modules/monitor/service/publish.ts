import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { companyKeyText } from '../../../domain/company.ts';
import { toPublicId } from '../../../domain/public-ids.ts';
import { chatBody } from '../../../webhooks/domain/chat-message.ts';
import { receiverHost } from '../../../webhooks/domain/delivery.ts';
import { publishDeliveries } from '../../../webhooks/service/messages.ts';
import type { NewDelivery } from '../../../webhooks/store/delivery-queue.ts';
import { recordText } from '../../sanctions/domain/candidate.ts';
import { REVIEW_TABLES } from '../../sanctions/store.ts';
import { CANDIDATE, type Change, type DetectedChange, withoutRecord } from '../domain/change.ts';
import { toChatMessage } from '../domain/chat-payload.ts';
import { isListChange } from '../domain/list-changes.ts';
import { toWebhookPayload } from '../domain/webhook-payload.ts';
import { appendChanges } from '../store/change-log.ts';
import { isOptional } from '../store/chosen-lists.ts';
import { MONITOR } from '../store/monitors.ts';
import { type Receiver, type Recipient, receiversOf } from '../store/recipients.ts';

/**
 * Publishes changes to every monitor that reports them: a row of the change log each, and a delivery, unless the monitor has no webhook or
 * its webhook excludes these fields. Part of the transaction that updates the snapshots, and its last step: the log stays locked until the
 * commit.
 * @param now epoch ms; the time of detection
 * @param observedAt epoch ms of the request to the source; `now` if its answer is not in the cache
 */
export async function publish(
  trx: Knex,
  changes: readonly Omit<DetectedChange, 'observed'>[],
  now: number,
  observedAt = now,
): Promise<void> {
  const receivers = await receiversOf(
    trx,
    changes.map(({ company }) => company),
  );
  const isReported = await reportsOf(trx, changes, receivers);
  const notices = changes.flatMap((detected) => {
    const { company, source } = detected;
    const observationId = randomUUID();
    const fields = detected.fields.map(({ added, undecided, ...field }) => field);
    const reporting = (receivers.get(companyKeyText(company)) ?? []).filter((receiver) => isReported(receiver, detected));
    return reporting.map((receiver) => {
      const { monitorId, keyId, identifier } = receiver;
      const change = {
        id: randomUUID(),
        observationId,
        monitorId,
        keyId,
        company,
        identifier,
        source,
        fields,
        detectedAt: now,
        observedAt,
      };
      return { receiver, change };
    });
  });
  const deliveries = notices.flatMap(({ receiver, change }) => {
    const { webhookUrl } = receiver;
    if (webhookUrl === null || !isSent(receiver, change)) return [];
    return [newDelivery({ ...receiver, webhookUrl }, change)];
  });
  await publishDeliveries(trx, deliveries, now);
  await appendChanges(
    trx,
    notices.map(({ change }) => change),
  );
}

/** True if the webhook of a monitor gets a change, or some of its fields. */
export const isSent = (receiver: Pick<Receiver, 'listNews' | 'recordNews'>, { fields }: Pick<Change, 'fields'>): boolean =>
  isListChange(fields) ? receiver.listNews : sentFields(receiver, fields).length > 0;

const sentFields = ({ recordNews }: Pick<Receiver, 'recordNews'>, fields: Change['fields']): Change['fields'] =>
  recordNews ? fields : withoutRecord(fields);

/** Creates the delivery of a change to a monitor's webhook. It is stored and not sent when the monitor is disabled. */
export const newDelivery = (
  receiver: Receiver & { readonly webhookUrl: string },
  change: Pick<Change, 'id' | 'identifier' | 'company' | 'fields' | 'detectedAt'>,
): NewDelivery => ({
  endpointId: receiver.monitorId,
  ownerKind: MONITOR,
  keyId: receiver.keyId,
  reportedId: change.id,
  eventId: toPublicId('change', change.id),
  body: bodyOf(receiver, { ...change, fields: sentFields(receiver, change.fields) }),
  host: receiverHost(receiver.webhookUrl),
  subject: change.company.taxId,
  send: !receiver.disabled,
});

/** Writes the body in the format of the endpoint: the one of `/v1`, or a message for people with the same facts. */
const bodyOf = (
  { monitorId, format, language }: Pick<Receiver, 'monitorId' | 'format' | 'language'>,
  change: Pick<Change, 'identifier' | 'company' | 'fields' | 'detectedAt'>,
): string =>
  format === 'standard'
    ? JSON.stringify(toWebhookPayload(toPublicId('monitor', monitorId), change))
    : chatBody(format, toChatMessage(toPublicId('monitor', monitorId), change, language));

/** Returns true for a change that a monitor reports. */
type IsReported = (recipient: Recipient, change: Pick<DetectedChange, 'company' | 'kind' | 'source' | 'fields'>) => boolean;

/**
 * Finds the monitors that report each change. A change of a list that accounts choose is reported to those accounts. A change of candidates is reported by monitors with `candidateNews`, unless the account has
 * dismissed all new candidates.
 */
async function reportsOf(
  trx: Knex,
  changes: readonly Pick<DetectedChange, 'company' | 'kind'>[],
  recipients: ReadonlyMap<string, readonly Recipient[]>,
): Promise<IsReported> {
  const queries = changes
    .filter(({ kind }) => kind === CANDIDATE)
    .flatMap(({ company }) =>
      (recipients.get(companyKeyText(company)) ?? []).flatMap(({ accountId, candidateNews }) =>
        candidateNews ? [{ accountId, ...company }] : [],
      ),
    );
  const dismissals = queries.length === 0 ? [] : await REVIEW_TABLES.dismissed.ofCompanies(trx, queries);
  const dismissed = new Set(
    queries.flatMap(({ accountId }, i) =>
      (dismissals[i] ?? [])
        .filter(({ ownerId }) => ownerId === null)
        .map((one) => [accountId, companyKeyText(one.company), one.list, recordText(one)].join(' ')),
    ),
  );
  return ({ accountId, candidateNews, chosenLists }, { company, kind, source, fields }) => {
    if (isOptional(source) && !chosenLists.includes(source)) return false;
    if (kind !== CANDIDATE) return true;
    const added = fields.flatMap((field) => field.added ?? []);
    return candidateNews && added.some((one) => !dismissed.has([accountId, companyKeyText(company), source, one].join(' ')));
  };
}
