import { randomUUID } from 'node:crypto';
import type { Knex } from 'knex';
import { AppError, invalidInput } from '../../../domain/errors.ts';
import { enqueue } from '../../../jobs/job.ts';
import type { ServiceDeps } from '../../../service.ts';
import { isListNews } from '../domain/change.ts';
import { receiverHost, toPayload } from '../domain/delivery.ts';
import { toPublicId } from '../domain/ids.ts';
import { addDeliveries, type NewDelivery, openLanes, requeueDeliveries } from '../store/delivery-queue.ts';
import type { Owned } from '../store/paging.ts';
import { findQueued, findReceiver, type Queued, type Receiver, type Told, toldAfter } from '../store/receivers.ts';
import { readHead } from '../store/stream-head.ts';
import { DELIVER } from './publish.ts';

type Deps = Pick<ServiceDeps, 'db' | 'now'>;

/** Sends an event that tells of no change. @returns UUID of the delivery @throws AppError SUBSCRIPTION_NOT_FOUND, INVALID_INPUT */
export async function sendTest({ db, now }: Deps, monitor: Owned): Promise<string> {
  const receiver = await receiverOf(db, monitor);
  const event = { changeId: randomUUID(), company: receiver.company, identifier: receiver.identifier, fields: [], detectedAt: now() };
  return db.transaction(async (trx) => {
    const [id = ''] = await addDeliveries(trx, [{ ...toDelivery(receiver, event), changeId: null }], now());
    await enqueue(trx, DELIVER, {}, { key: DELIVER });
    return id;
  });
}

/**
 * Sends a settled delivery again, under the same event id; one that waits or is being sent is left to that.
 * @throws AppError DELIVERY_NOT_FOUND, INVALID_INPUT
 */
export async function redeliver({ db, now }: Deps, { keyId, id }: Owned): Promise<void> {
  const queued = await findQueued(db, { keyId, id });
  if (!queued) throw new AppError('DELIVERY_NOT_FOUND', 'This key has no such delivery.');
  await receiverOf(db, { keyId, id: queued.monitorId });
  await db.transaction((trx) => sendAgain(trx, [queued], now()));
}

/**
 * Sends again, in their order, what happened to a monitor after a position of the log.
 * @returns how many events @throws AppError SUBSCRIPTION_NOT_FOUND, CURSOR_TOO_OLD, INVALID_INPUT
 */
export async function replay({ db, now }: Deps, monitor: Owned, after: number): Promise<number> {
  const receiver = await receiverOf(db, monitor);
  const told = (await toldAfter(db, monitor.id, after)).filter(({ fields }) => receiver.listNews || !isListNews(fields));
  const { keptFrom } = await readHead(db, 'changes'); // asked last: what was forgotten while we read is missing
  if (after < keptFrom - 1) throw new AppError('CURSOR_TOO_OLD', 'The change log no longer reaches back to this cursor.');
  const missing = told.filter(({ delivery }) => delivery === null).map((event) => ({ ...toDelivery(receiver, event), send: false }));
  if (missing.length > 0) await db.transaction((trx) => addDeliveries(trx, missing, now()));
  const complete = missing.length > 0 ? await toldAfter(db, monitor.id, after) : told;
  const queued = complete.flatMap(({ delivery }) => delivery ?? []);
  return db.transaction((trx) => sendAgain(trx, queued, now()));
}

async function sendAgain(trx: Knex, deliveries: readonly Queued[], now: number): Promise<number> {
  await openLanes(trx, deliveries, now);
  const ids = deliveries.map(({ id }) => id);
  const count = await requeueDeliveries(trx, ids, now);
  await enqueue(trx, DELIVER, {}, { key: DELIVER });
  return count;
}

/** @throws AppError SUBSCRIPTION_NOT_FOUND; INVALID_INPUT for a monitor that is sent nothing */
async function receiverOf(db: Knex, monitor: Owned): Promise<Receiver> {
  const receiver = await findReceiver(db, monitor);
  if (!receiver) throw new AppError('SUBSCRIPTION_NOT_FOUND', 'This key has no such monitor.');
  if (receiver.cancelled) throw invalidInput('id', 'This monitor is cancelled: nothing is sent to its webhook any more.');
  if (receiver.disabled) throw invalidInput('id', 'The webhook of this monitor is disabled, because it failed for long; enable it first.');
  return receiver;
}

const toDelivery = (receiver: Receiver, event: Omit<Told, 'delivery'>): NewDelivery => ({
  monitorId: receiver.id,
  keyId: receiver.keyId,
  changeId: event.changeId,
  eventId: toPublicId('change', event.changeId),
  body: JSON.stringify(toPayload(toPublicId('monitor', receiver.id), { ...event, country: event.company.country })),
  host: receiverHost(receiver.webhookUrl),
  subject: event.company.taxId,
  send: true,
});
