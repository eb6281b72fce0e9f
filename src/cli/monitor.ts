import { Command } from 'commander';
import type { Knex } from 'knex';
import { SOURCES, type SourceName } from '../domain/catalogue.ts';
import { detectCompanyKey, formatTaxId } from '../domain/company.ts';
import { AppError, invalidInput } from '../domain/errors.ts';
import { fromPublicId, type IdKind, toPublicId } from '../domain/public-ids.ts';
import { isoOrNull, isoWithOffset } from '../domain/time.ts';
import { CANDIDATE, type ChangedField, type HeldChange, LIST_FIELDS, REGISTRATION_FIELDS } from '../modules/monitor/domain/change.ts';
import { monitorService } from '../modules/monitor/service/monitor.ts';
import type { Quarantine } from '../modules/monitor/service/quarantine.ts';
import type { HeldCount } from '../modules/monitor/store/held-changes.ts';
import { MONITOR } from '../modules/monitor/store/monitors.ts';
import { allMonitors, type MonitorLine } from '../modules/monitor/store/overview.ts';
import { screeningService } from '../modules/screening/service/screening.ts';
import { SCREENING } from '../modules/screening/store/screenings.ts';
import type { Open } from '../service.ts';
import type { DeliveryState } from '../webhooks/domain/delivery.ts';
import { type DeliveryLine, latestDeliveries } from '../webhooks/store/delivery-lines.ts';
import { type Act, type Io, JSON_HELP, json, operator, runOn, tableText } from './run.ts';

/** The database and the services on it. */
export interface MonitorParts {
  readonly db: Knex;
  readonly open: Open;
  close(): Promise<void>;
}

interface Selected {
  readonly json?: boolean;
  readonly source?: string;
  readonly field?: string;
  readonly all?: boolean;
}

const STATES: readonly DeliveryState[] = ['pending', 'sending', 'delivered', 'failed', 'dropped'];
const NAMES = Object.keys(SOURCES) as SourceName[];
const FIELDS: readonly ChangedField[] = [...REGISTRATION_FIELDS, ...LIST_FIELDS, CANDIDATE];

const EXAMPLES = `
Examples:
  quipu monitor held                                       held changes by source and field
  quipu monitor release --source receita_federal           they are correct: publish them
  quipu monitor discard --source sii --field activity      they are wrong: drop them
  quipu monitor release 99.010.001/0001-84                 of one company
  quipu monitor deliveries --status failed --limit 50
  quipu monitor redeliver dlv_0192f5a27c3d4e5f8a9b0c1d2e3f4a5b
`;

/**
 * Creates `monitor held|release|discard|list|deliveries|redeliver`. Errors go to `io.err` in one line, with exit code 1.
 * @param openParts called when the command's arguments are valid; closed when it ends
 */
export function monitorCommand(openParts: () => Promise<MonitorParts>, io: Io): Command {
  const act: Act<MonitorParts> = (work) => runOn(openParts, io, work);
  const monitor = new Command('monitor')
    .description('Monitors, held changes and webhook deliveries')
    .configureOutput({ writeOut: io.out, writeErr: io.err })
    .addHelpText('after', EXAMPLES);
  for (const add of [addHeld, addDecisions, addList, addDeliveries, addRedeliver]) add(monitor, act);
  return monitor;
}

function addHeld(monitor: Command, act: Act<MonitorParts>): void {
  monitor
    .command('held')
    .description('show held changes: mass changes, and lost values that wait for a second check')
    .option('--source <source>', 'only changes of one source, e.g. receita_federal')
    .option('--json', 'print JSON, one object per change')
    .action(({ source, json: asJson = false }: { source?: string; json?: boolean }) =>
      act(async (open) => {
        const wanted = source === undefined ? null : readOne('source', NAMES, source);
        const ofSource = (one: { readonly source: SourceName }): boolean => wanted === null || one.source === wanted;
        const quarantine = (await open()).open(monitorService).quarantine;
        if (!asJson) return heldTable((await quarantine.counts()).filter(ofSource));
        return json((await allHeldChanges(quarantine)).filter(ofSource).map(heldJson));
      }),
    );
}

/** Adds `release` and `discard`. */
function addDecisions(monitor: Command, act: Act<MonitorParts>): void {
  for (const [name, description, done] of [
    ['release', 'publish held changes as correct', 'Released'],
    ['discard', 'drop held changes as wrong; the same values are not reported again', 'Discarded'],
  ] as const)
    monitor
      .command(name)
      .description(description)
      .argument('[identifiers...]', 'tax ids of companies')
      .option('--source <source>', 'only changes of one source, e.g. receita_federal')
      .option('--field <field>', `only changes of one field: ${FIELDS.join(', ')}`)
      .option('--all', 'all held changes')
      .option('--json', JSON_HELP)
      .action((identifiers: string[], options: Selected) =>
        act(async (open) => {
          const selection = readSelection(identifiers, options);
          const count = await (await open()).open(monitorService).quarantine[name](selection, operator());
          if (count === 0) throw new AppError('INVALID_INPUT', 'No held change matches; see: quipu monitor held');
          if (options.json) return json({ [done.toLowerCase()]: count });
          return `${done} ${count} held ${count === 1 ? 'change' : 'changes'}.\n`;
        }),
      );
}

function addList(monitor: Command, act: Act<MonitorParts>): void {
  monitor
    .command('list')
    .description('list all monitors, newest first')
    .option('--json', JSON_HELP)
    .action(({ json: asJson = false }: { json?: boolean }) =>
      act(async (open) => {
        const monitors = await allMonitors((await open()).db);
        return asJson ? json(monitors.map(monitorJson)) : monitorsTable(monitors);
      }),
    );
}

function addDeliveries(monitor: Command, act: Act<MonitorParts>): void {
  monitor
    .command('deliveries')
    .description('show the latest webhook deliveries with their attempts, newest first')
    .option('--monitor <id>', 'only deliveries of one monitor, mon_…')
    .option('--status <status>', `only deliveries with one status: ${STATES.join(', ')}`)
    .option('--limit <n>', 'maximum number, up to 1000', '20')
    .option('--json', JSON_HELP)
    .action((options: { monitor?: string; status?: string; limit: string; json?: boolean }) =>
      act(async (open) => {
        const requested = {
          limit: readLimit(options.limit),
          ...(options.monitor !== undefined && { endpointId: readId('monitor', options.monitor) }),
          ...(options.status !== undefined && { state: readOne('status', STATES, options.status) }),
        };
        const deliveries = await latestDeliveries((await open()).db, requested);
        return options.json ? json(deliveries.map(deliveryJson)) : deliveriesTable(deliveries);
      }),
    );
}

function addRedeliver(monitor: Command, act: Act<MonitorParts>): void {
  monitor
    .command('redeliver')
    .description('send a delivered, failed or dropped delivery again, under the same event id')
    .argument('<id>', 'dlv_…')
    .option('--json', JSON_HELP)
    .action((text: string, options: { json?: boolean }) =>
      act(async (open) => {
        const id = readId('delivery', text);
        const parts = await open();
        const [delivery] = await latestDeliveries(parts.db, { id, limit: 1 });
        if (!delivery) throw new AppError('DELIVERY_NOT_FOUND', `There is no delivery ${text}.`);
        await redeliver(parts, delivery);
        if (options.json) return json({ id: text, webhook_host: delivery.host, status: 'pending' });
        return `${text} will be sent again to ${delivery.host}.\n`;
      }),
    );
}

/** Sends a delivery again by the rules of its owner. @throws AppError INVALID_INPUT if its owner sends nothing any more */
const redeliver = async ({ open }: MonitorParts, { ownerKind, endpointId, keyId, id }: DeliveryLine): Promise<void> => {
  if (ownerKind === SCREENING) await open(screeningService).screenings.redeliver({ keyId }, toPublicId('screening', endpointId));
  else await open(monitorService).redelivery.redeliver({ keyId, id });
};

const PAGE = 1_000;

async function allHeldChanges(quarantine: Pick<Quarantine, 'list'>): Promise<readonly HeldChange[]> {
  const held: HeldChange[] = [];
  for (;;) {
    const page = await quarantine.list({ limit: PAGE, after: held.at(-1) });
    held.push(...page);
    if (page.length < PAGE) return held;
  }
}

/** @throws AppError INVALID_INPUT without any filter, or for an unknown one */
function readSelection(identifiers: readonly string[], { source, field, all = false }: Selected) {
  if (identifiers.length === 0 && source === undefined && field === undefined && !all)
    throw invalidInput('identifiers', 'Select held changes by tax ids, --source or --field, or all with --all.');
  return {
    ...(source !== undefined && { source: readOne('source', NAMES, source) }),
    ...(field !== undefined && { field: readOne('field', FIELDS, field) }),
    ...(identifiers.length > 0 && { companies: identifiers.map((text) => detectCompanyKey(text, 'identifiers')) }),
  };
}

function readOne<T extends string>(name: string, known: readonly T[], text: string): T {
  const found = known.find((one) => one.toLowerCase() === text.toLowerCase());
  if (!found) throw invalidInput(name, `There is no ${name} "${text}". There are: ${known.join(', ')}.`);
  return found;
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

const heldTable = (counts: readonly HeldCount[]): string =>
  counts.length === 0
    ? 'There are no held changes.\n'
    : tableText(
        ['source', 'field', 'reason', 'companies'],
        counts.map(({ source, field, reason, count }) => [source, field, REASONS[reason], String(count)]),
      );

const REASONS = { share: 'too many at once', blank: 'became empty' } as const;

const heldJson = ({ company, source, reason, fields, heldAt }: HeldChange) => ({
  country: company.country,
  identifier: formatTaxId(company),
  source,
  reason,
  changed_fields: Object.fromEntries(fields.map(({ field, from, to }) => [field, { from, to }])),
  held_at: isoWithOffset(heldAt),
});

const monitorsTable = (monitors: readonly MonitorLine[]): string =>
  monitors.length === 0
    ? 'There are no monitors.\n'
    : tableText(
        ['id', 'key', 'companies', 'webhook host', 'state', 'created'],
        monitors.map(({ id, keyName, country, companies, host, endpointState, createdAt }) => [
          toPublicId('monitor', id),
          keyName,
          `${companies} ${country}`,
          host,
          endpointState,
          isoWithOffset(createdAt),
        ]),
      );

const monitorJson = ({ id, keyId, keyName, country, companies, host, endpointState, createdAt }: MonitorLine) => ({
  id: toPublicId('monitor', id),
  key_id: keyId,
  key_name: keyName,
  country,
  companies,
  webhook_host: host,
  endpoint_state: endpointState,
  created_at: isoWithOffset(createdAt),
});

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
  attempts: delivery.attempts.map(({ number, startedAt, latencyMs, status, error, answer }) => ({
    number,
    started_at: isoWithOffset(startedAt),
    latency_ms: latencyMs,
    status,
    error,
    answer,
  })),
});
