import { Command } from 'commander';
import { SOURCES, type SourceName } from '../domain/catalogue.ts';
import { detectCompanyKey, formatTaxId } from '../domain/company.ts';
import { AppError, invalidInput } from '../domain/errors.ts';
import { toPublicId } from '../domain/public-ids.ts';
import { isoWithOffset } from '../domain/time.ts';
import { CANDIDATE, type ChangedField, type HeldChange, LIST_FIELDS, REGISTRY_FIELDS } from '../modules/monitor/domain/change.ts';
import { monitorService } from '../modules/monitor/service/monitor.ts';
import type { Quarantine } from '../modules/monitor/service/quarantine.ts';
import type { HeldCount } from '../modules/monitor/store/held-changes.ts';
import { allMonitors, type MonitorLine } from '../modules/monitor/store/overview.ts';
import { deliveryCommands, type ServiceParts } from './deliveries.ts';
import { type Act, type Io, JSON_HELP, json, operator, readOne, runOn, tableText } from './run.ts';

interface Selected {
  readonly json?: boolean;
  readonly source?: string;
  readonly field?: string;
  readonly all?: boolean;
}

const NAMES = Object.keys(SOURCES) as SourceName[];
const FIELDS: readonly ChangedField[] = [...REGISTRY_FIELDS, ...LIST_FIELDS, CANDIDATE];

const EXAMPLES = `
Examples:
  quipu monitor held                                       held changes by source and field
  quipu monitor release --source receita_federal           they are correct: publish them
  quipu monitor discard --source sii --field activity      they are wrong: drop them
  quipu monitor release 99.010.001/0001-84                 of one company
  quipu monitor forget-mail ana@example.com                the person gets no more mails
  quipu monitor deliveries --status failed --limit 50
  quipu monitor redeliver dlv_0192f5a27c3d4e5f8a9b0c1d2e3f4a5b
  quipu monitor deliveries --screening scr_4f0c4a1be2a94d3f8a1f6cbb0a6f7d10
  quipu monitor redeliver --screening scr_4f0c4a1be2a94d3f8a1f6cbb0a6f7d10
`;

/**
 * Creates `monitor held|release|discard|list|forget-mail|deliveries|redeliver`. Errors go to `io.err` in one line, with exit code 1.
 * @param openParts called when the command's arguments are valid; closed when it ends
 */
export function monitorCommand(openParts: () => Promise<ServiceParts>, io: Io): Command {
  const act: Act<ServiceParts> = (work) => runOn(openParts, io, work);
  const monitor = new Command('monitor')
    .description('Monitors, held changes and webhook deliveries')
    .configureOutput({ writeOut: io.out, writeErr: io.err })
    .addHelpText('after', EXAMPLES);
  for (const add of [addHeld, addDecisions, addList, addForgetMail]) add(monitor, act);
  for (const command of deliveryCommands(openParts, io)) monitor.addCommand(command);
  return monitor;
}

function addHeld(monitor: Command, act: Act<ServiceParts>): void {
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
function addDecisions(monitor: Command, act: Act<ServiceParts>): void {
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

function addList(monitor: Command, act: Act<ServiceParts>): void {
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

function addForgetMail(monitor: Command, act: Act<ServiceParts>): void {
  monitor
    .command('forget-mail')
    .description('end the daily mail to an address in all accounts, and delete the address')
    .argument('<address>', 'e-mail address')
    .option('--json', JSON_HELP)
    .action((address: string, { json: asJson = false }: { json?: boolean }) =>
      act(async (open) => {
        const count = await (await open()).open(monitorService).mailSubscriptions.forget(address, operator());
        return asJson ? json({ forgotten: count }) : `Deleted ${count} ${count === 1 ? 'subscription' : 'subscriptions'}.\n`;
      }),
    );
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
