import { Command } from 'commander';
import type { Knex } from 'knex';
import { AppError, invalidInput } from '../domain/errors.ts';
import { fromPublicId, type IdKind, toPublicId } from '../domain/public-ids.ts';
import { isoOrNull, isoWithOffset } from '../domain/time.ts';
import { monitorService } from '../modules/monitor/service/monitor.ts';
import { MONITOR } from '../modules/monitor/store/monitors.ts';
import { screeningService } from '../modules/screening/service/screening.ts';
import { ownerOf, SCREENING } from '../modules/screening/store/screenings.ts';
import type { Open } from '../service.ts';
import type { DeliveryState } from '../webhooks/domain/delivery.ts';
import { toAttemptReply } from '../webhooks/rest.ts';
import { type DeliveriesFilter, type DeliveryLine, latestDeliveries } from '../webhooks/store/delivery-lines.ts';
import { type Io, JSON_HELP, json, readOne, runOn } from './run.ts';

/** The database and the services on it. */
export interface ServiceParts {
  readonly db: Knex;
  readonly open: Open;
  close(): Promise<void>;
}

const STATES: readonly DeliveryState[] = ['pending', 'sending', 'delivered', 'failed', 'dropped'];

interface ListOptions {
  readonly monitor?: string;
  readonly screening?: string;
  readonly status?: string;
  readonly limit: string;
  readonly json?: boolean;
}

/**
 * Creates the commands `deliveries` and `redeliver`, for webhooks of monitors and of screenings.
 * @param openParts called when the arguments of a command are valid; closed when it ends
 */
export function deliveryCommands(openParts: () => Promise<ServiceParts>, io: Io): readonly Command[] {
  const deliveries = new Command('deliveries')
    .description('show the latest webhook deliveries with their attempts, newest first')
    .option('--monitor <id>', 'only deliveries of one monitor, mon_…')
    .option('--screening <id>', 'only deliveries of one screening, scr_…')
    .option('--status <status>', `only deliveries with one status: ${STATES.join(', ')}`)
    .option('--limit <n>', 'maximum number, up to 1000', '20')
    .option('--json', JSON_HELP)
    .action((options: ListOptions) =>
      runOn(openParts, io, async (open) => {
        const filter = readFilter(options);
        const found = await latestDeliveries((await open()).db, filter);
        return options.json ? json(found.map(deliveryJson)) : deliveriesTable(found);
      }),
    );

  const redeliver = new Command('redeliver')
    .description('send a delivered, failed or dropped delivery again, under the same event id')
    .argument('[id]', 'dlv_…')
    .option('--screening <id>', 'the webhook of one screening, scr_…, also if its delivery is not kept any more')
    .option('--json', JSON_HELP)
    .action((text: string | undefined, options: { screening?: string; json?: boolean }) =>
      runOn(openParts, io, async (open) => {
        const { host, ...sent } = await sendAgain(open, text, options.screening);
        const id = toPublicId('delivery', sent.id);
        if (options.json) return json({ id, webhook_host: host, status: sent.state });
        return `${id} will be sent again to ${host}.\n`;
      }),
    );

  return [deliveries, redeliver];
}

/** @throws AppError INVALID_INPUT for a wrong option, and for a monitor and a screening at once */
function readFilter({ monitor, screening, status, limit }: ListOptions): DeliveriesFilter {
  if (monitor !== undefined && screening !== undefined) throw invalidInput('screening', 'Give --monitor or --screening, not both.');
  return {
    limit: readLimit(limit),
    ...(monitor !== undefined && { endpointId: readId('monitor', monitor) }),
    ...(screening !== undefined && { endpointId: readId('screening', screening) }),
    ...(status !== undefined && { state: readOne('status', STATES, status) }),
  };
}

/**
 * Sends one delivery, or the webhook of a screening, again.
 * @returns the delivery as it waits to be sent
 * @throws AppError DELIVERY_NOT_FOUND, SCREENING_NOT_FOUND; INVALID_INPUT if its owner sends nothing any more
 */
async function sendAgain(open: () => Promise<ServiceParts>, id?: string, screening?: string): Promise<DeliveryLine> {
  if ((id === undefined) === (screening === undefined)) throw invalidInput('id', 'Give the id of a delivery or --screening, not both.');
  const selected = id === undefined ? { endpointId: readId('screening', screening ?? '') } : { id: readId('delivery', id) };
  const parts = await open();
  if (selected.id === undefined) await redeliverScreening(parts, selected.endpointId);
  else await redeliver(parts, selected.id);
  const [delivery] = await latestDeliveries(parts.db, { ...selected, limit: 1 });
  if (!delivery) throw new Error('a delivery was deleted while it was sent again');
  return delivery;
}

/** @param id UUID of a delivery */
async function redeliver(parts: ServiceParts, id: string): Promise<void> {
  const [delivery] = await latestDeliveries(parts.db, { id, limit: 1 });
  if (!delivery) throw new AppError('DELIVERY_NOT_FOUND', `There is no delivery ${toPublicId('delivery', id)}.`);
  const { ownerKind, endpointId, keyId } = delivery;
  if (ownerKind === SCREENING) await redeliverScreening(parts, endpointId);
  else await parts.open(monitorService).redelivery.redeliver({ keyId, id });
}

/** @param id UUID of a screening */
async function redeliverScreening({ db, open }: ServiceParts, id: string): Promise<void> {
  const publicId = toPublicId('screening', id);
  const owner = await ownerOf(db, id);
  if (!owner) throw new AppError('SCREENING_NOT_FOUND', `There is no screening ${publicId}.`);
  await open(screeningService).screenings.redeliver(owner, publicId);
}

function readId(kind: IdKind, text: string): string {
  const uuid = fromPublicId(kind, text);
  if (uuid === null) throw invalidInput(kind, `"${text}" is no id of a ${kind}.`);
  return uuid;
}

function readLimit(text: string): number {
  const limit = Number(text);
  if (!Number.isInteger(limit) || limit < 1 || limit > 1_000) throw invalidInput('limit', 'The limit is a whole number from 1 to 1000.');
  return limit;
}

/** Returns one line for each delivery, followed by one for each of its attempts. */
const deliveriesTable = (deliveries: readonly DeliveryLine[]): string =>
  deliveries.length === 0
    ? 'There are no such deliveries.\n'
    : deliveries
        .map(({ id, eventId, host, state, createdAt, nextAttemptAt, attempts }) =>
          [
            `${toPublicId('delivery', id)}  ${state}  ${host}  ${eventId}  ${isoWithOffset(createdAt)}${nextAttemptAt === null ? '' : `  next ${isoWithOffset(nextAttemptAt)}`}\n`,
            ...attempts.map(
              ({ number, startedAt, latencyMs, status, error }) =>
                `  ${number}. ${isoWithOffset(startedAt)}  ${status ?? 'no status'}  ${latencyMs === null ? 'under way or cut off' : `${latencyMs} ms`}${error === null ? '' : `  ${error}`}\n`,
            ),
          ].join(''),
        )
        .join('');

const deliveryJson = (delivery: DeliveryLine) => ({
  id: toPublicId('delivery', delivery.id),
  monitor_id: delivery.ownerKind === MONITOR ? toPublicId('monitor', delivery.endpointId) : null,
  screening_id: delivery.ownerKind === SCREENING ? toPublicId('screening', delivery.endpointId) : null,
  key_id: delivery.keyId,
  event_id: delivery.eventId,
  webhook_host: delivery.host,
  status: delivery.state,
  created_at: isoWithOffset(delivery.createdAt),
  settled_at: isoOrNull(delivery.settledAt),
  next_attempt_at: isoOrNull(delivery.nextAttemptAt),
  attempts: delivery.attempts.map(toAttemptReply),
});
