import { Command, Option } from 'commander';
import { invalidInput } from '../domain/errors.ts';
import { type ClientParts, keyOption, runOnServer, type ServerOptions, urlOption } from './client.ts';
import { companyOf, countryOption, formatted, gapLines, numberOf } from './group.ts';
import { EXIT, JSON_HELP, json, tableText } from './run.ts';

interface FindingsOptions extends ServerOptions {
  readonly depth: string;
  readonly direction: 'both' | 'up' | 'down';
  readonly country?: 'BR' | 'CL';
  readonly json?: boolean;
}

interface OwnersOptions extends ServerOptions {
  readonly minShare: string;
  readonly country?: 'BR' | 'CL';
  readonly json?: boolean;
}

const FINDINGS_HELP = `
Exit codes: 0 no finding; 1 failed; 2 a finding; 3 no finding, but a list or a part of the group was not covered
`;
const OWNERS_HELP = `
Exit codes: 0 done, also for an empty list; 1 failed, also for a company that the registry does not have
`;

/** Reason for which a list of Brazil is not read for Chilean companies. It has no RUT, so it cannot have one of them. */
const NO_TAX_ID = 'no_tax_id';

/** An edge of a path, by bare tax id. */
interface Edge {
  readonly owner: string;
  readonly owned: string;
}

/** Formats the edges from a company to another one, each in the direction of ownership; `–` for none. */
const pathText = (path: readonly Edge[]): string =>
  path.map(({ owner, owned }) => `${formatted(owner)} > ${formatted(owned)}`).join(', ') || '–';

/** Creates `quipu group-findings ID`, which prints the listed companies of a group. */
export const groupFindingsCommand = (parts: ClientParts): Command =>
  new Command('group-findings')
    .description('Print the listed, debarred and forced-labour companies of the group of a company of Brazil or Chile, from a server')
    .argument('<id>', 'CNPJ or RUT')
    .addOption(countryOption())
    .option('--depth <n>', 'levels to follow, 1 to 10', '3')
    .addOption(new Option('--direction <direction>', 'up: its owners; down: what it owns').choices(['both', 'up', 'down']).default('both'))
    .addOption(urlOption())
    .addOption(keyOption())
    .option('--json', JSON_HELP)
    .addHelpText('after', FINDINGS_HELP)
    .action((id: string, options: FindingsOptions) =>
      runOnServer(parts, options, async (server) => {
        const body = { ...companyOf(id, options.country), depth: numberOf('depth', options.depth, 10), direction: options.direction };
        const found = await server.rest('POST /v1/group-findings', { body });
        const findings = found.findings ?? [];
        const isCovered = found.complete && found.lists_not_checked.every(({ reason }) => reason === NO_TAX_ID);
        if (findings.length > 0) process.exitCode = EXIT.finding;
        else if (!isCovered) process.exitCode = EXIT.incomplete;
        if (options.json) return parts.io.out(json(found));
        const rows = findings.map((one) => [
          formatted(one.identifier),
          ...[one.relation, one.list_name, one.starts_on ?? '–', one.ends_on ?? '–', pathText(one.path), one.entry_name],
        ]);
        if (rows.length > 0) parts.io.out(tableText(['company', 'relation', 'list', 'from', 'to', 'path', 'listed as'], rows));
        const unread = found.lists_not_checked.map(({ list_name, reason }) => `Not checked: ${list_name} (${reason})\n`);
        const covered = `${found.companies_checked} companies on ${found.lists_checked.length} lists: ${findings.length} records.\n`;
        parts.io.err(`${covered}${unread.join('')}${gapLines(found.not_seen)}`);
      }),
    );

/** @throws AppError INVALID_INPUT */
function shareOf(text: string): number {
  const share = /^\d{1,3}(\.\d{1,10})?$/.test(text) ? Number(text) : -1;
  if (share < 0 || share > 100) throw invalidInput('min-share', '--min-share: give a percentage from 0 to 100.');
  return share;
}

/** Creates `quipu beneficial-owners ID`, which prints the natural persons who own a company. */
export const beneficialOwnersCommand = (parts: ClientParts): Command =>
  new Command('beneficial-owners')
    .description('Print the natural persons who own a company of Brazil or Chile, directly or through others, from a server')
    .argument('<id>', 'CNPJ or RUT')
    .addOption(countryOption())
    .option('--min-share <percent>', 'leave out known shares below it', '25')
    .addOption(urlOption())
    .addOption(keyOption())
    .option('--json', JSON_HELP)
    .addHelpText('after', OWNERS_HELP)
    .action((id: string, options: OwnersOptions) =>
      runOnServer(parts, options, async (server) => {
        const body = { ...companyOf(id, options.country), min_share: shareOf(options.minShare) };
        const found = await server.rest('POST /v1/beneficial-owners', { body });
        if (options.json) return parts.io.out(json(found));
        const rows = found.owners.map(({ name, is_aggregate, identifier, role, roles, registered_in, path, share }) => [
          identifier ?? '–',
          ...[
            roles?.join(', ') || role,
            formatted(registered_in),
            share.percent ?? '–',
            share.basis,
            pathText(path),
            is_aggregate ? 'all natural persons' : name,
          ],
        ]);
        if (rows.length > 0) parts.io.out(tableText(['person', 'role', 'registered in', 'share %', 'basis', 'path', 'name'], rows));
        parts.io.err(`${rows.length === 0 ? 'No natural person is known.\n' : ''}${gapLines(found.not_seen)}`);
      }),
    );
