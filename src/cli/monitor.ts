import { Command } from 'commander';
import type { Knex } from 'knex';
import { SOURCES, type SourceName } from '../domain/catalogue.ts';
import { detectCompanyKey } from '../domain/company.ts';
import { AppError, invalidInput } from '../domain/errors.ts';
import { type ChangedField, type HeldChange, LIST_FIELDS, REGISTRATION_FIELDS } from '../modules/monitor/domain/change.ts';
import type { DeliveryState } from '../modules/monitor/domain/delivery.ts';
import { fromPublicId, type IdKind } from '../modules/monitor/domain/ids.ts';
import { monitorService } from '../modules/monitor/service/monitor.ts';
import type { Quarantine } from '../modules/monitor/service/quarantine.ts';
import { allMonitors, latestDeliveries } from '../modules/monitor/store/overview.ts';
import type { Open } from '../service.ts';
import { deliveriesTable, deliveryJson, heldJson, heldTable, monitorJson, monitorsTable } from './monitor-text.ts';
import { type Io, JSON_HELP, json, operator, runOn } from './run.ts';

/** The database, the services on it, and how to be done with both. */
export interface MonitorParts {
  readonly db: Knex;
  readonly open: Open;
  close(): Promise<void>;
}

interface Selected {
  readonly source?: string;
  readonly field?: string;
  readonly all?: boolean;
}

const STATES: readonly DeliveryState[] = ['pending', 'sending', 'delivered', 'failed', 'dropped'];
const NAMES = Object.keys(SOURCES) as SourceName[];
const FIELDS: readonly ChangedField[] = [...REGISTRATION_FIELDS, ...LIST_FIELDS];

const EXAMPLES = `
Examples:
  quipu monitor held                                       what the guard keeps back, by source and field
  quipu monitor release --source receita_federal           it is true: tell everybody
  quipu monitor discard --source sii --field activity      it is not: tell nobody
  quipu monitor release 99.010.001/0001-84                 of one company
  quipu monitor deliveries --status failed --limit 50
  quipu monitor redeliver dlv_0192f5a27c3d4e5f8a9b0c1d2e3f4a5b
`;

/**
 * `monitor held|release|discard|list|deliveries|redeliver`. What cannot be done is said on `io.err` in one line, and the exit code is 1.
 * @param openParts called once a command's arguments are understood; closed when it is done
 */
export function monitorCommand(openParts: () => Promise<MonitorParts>, io: Io): Command {
  const act = (work: (open: () => Promise<MonitorParts>) => Promise<string>) => runOn(openParts, io, work);
  const monitor = new Command('monitor')
    .description('Monitoring: changes that are held, who watches, what was told')
    .configureOutput({ writeOut: io.out, writeErr: io.err })
    .addHelpText('after', EXAMPLES);

  monitor
    .command('held')
    .description('show the changes that the mass-change guard keeps back')
    .option('--source <source>', 'of one source, e.g. receita_federal')
    .option('--json', 'print JSON: each change')
    .action(({ source, json: asJson = false }: { source?: string; json?: boolean }) =>
      act(async (open) => {
        const wanted = source === undefined ? null : readOne('source', NAMES, source);
        const ofSource = (one: { readonly source: SourceName }): boolean => wanted === null || one.source === wanted;
        const quarantine = (await open()).open(monitorService).quarantine;
        if (!asJson) return heldTable((await quarantine.counts()).filter(ofSource));
        return json((await allHeldChanges(quarantine)).filter(ofSource).map(heldJson));
      }),
    );

  for (const [name, description, done] of [
    ['release', 'publish held changes: they are true', 'Released'],
    ['discard', 'forget held changes: while the source keeps saying so, it is no news', 'Discarded'],
  ] as const)
    monitor
      .command(name)
      .description(description)
      .argument('[identifiers...]', 'tax ids of companies')
      .option('--source <source>', 'those of one source, e.g. receita_federal')
      .option('--field <field>', `those in which this changed: ${FIELDS.join(', ')}`)
      .option('--all', 'all of them')
      .action((identifiers: string[], options: Selected) =>
        act(async (open) => {
          const selection = readSelection(identifiers, options);
          const count = await (await open()).open(monitorService).quarantine[name](selection, operator());
          if (count === 0) throw new AppError('INVALID_INPUT', 'No held change matches; see: quipu monitor held');
          return `${done} ${count} held ${count === 1 ? 'change' : 'changes'}.\n`;
        }),
      );

  monitor
    .command('list')
    .description('show who watches, newest first')
    .option('--json', JSON_HELP)
    .action(({ json: asJson = false }: { json?: boolean }) =>
      act(async (open) => {
        const monitors = await allMonitors((await open()).db);
        return asJson ? json(monitors.map(monitorJson)) : monitorsTable(monitors);
      }),
    );

  monitor
    .command('deliveries')
    .description('show the latest webhook deliveries with their attempts, newest first')
    .option('--monitor <id>', 'of one monitor, mon_…')
    .option('--status <status>', `of one status: ${STATES.join(', ')}`)
    .option('--limit <n>', 'at most so many, up to 1000', '20')
    .option('--json', JSON_HELP)
    .action((options: { monitor?: string; status?: string; limit: string; json?: boolean }) =>
      act(async (open) => {
        const asked = {
          limit: readLimit(options.limit),
          ...(options.monitor !== undefined && { monitorId: readId('monitor', options.monitor) }),
          ...(options.status !== undefined && { state: readOne('status', STATES, options.status) }),
        };
        const deliveries = await latestDeliveries((await open()).db, asked);
        return options.json ? json(deliveries.map(deliveryJson)) : deliveriesTable(deliveries);
      }),
    );

  monitor
    .command('redeliver')
    .description('send a settled delivery again, under the same event id')
    .argument('<id>', 'dlv_…')
    .action((text: string) =>
      act(async (open) => {
        const id = readId('delivery', text);
        const parts = await open();
        const [delivery] = await latestDeliveries(parts.db, { id, limit: 1 });
        if (!delivery) throw new AppError('DELIVERY_NOT_FOUND', `There is no delivery ${text}.`);
        await parts.open(monitorService).redelivery.redeliver({ keyId: delivery.keyId, id });
        return `${text} will be sent again to ${delivery.host}.\n`;
      }),
    );

  return monitor;
}

const PAGE = 1_000;

async function allHeldChanges(quarantine: Pick<Quarantine, 'list'>): Promise<readonly HeldChange[]> {
  const held: HeldChange[] = [];
  for (;;) {
    const page = await quarantine.list({ limit: PAGE, after: held.at(-1) });
    held.push(...page);
    if (page.length < PAGE) return held;
  }
}

/** @throws AppError INVALID_INPUT when nothing is said, or what is said names nothing */
function readSelection(identifiers: readonly string[], { source, field, all = false }: Selected) {
  if (identifiers.length === 0 && source === undefined && field === undefined && !all)
    throw invalidInput('identifiers', 'Say which: tax ids, --source, --field, or --all.');
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
