import { Command, Option } from 'commander';
import { detectCompanyKey, formatTaxId, parseCompanyKey } from '../domain/company.ts';
import { invalidInput } from '../domain/errors.ts';
import { type ClientParts, keyOption, runOnServer, type ServerOptions, urlOption } from './client.ts';
import { JSON_HELP, json, tableText } from './run.ts';

interface GroupOptions extends ServerOptions {
  readonly depth: string;
  readonly direction: 'both' | 'up' | 'down';
  readonly country?: 'BR' | 'CL';
  readonly json?: boolean;
}

interface PathOptions extends ServerOptions {
  readonly maxDepth: string;
  readonly people: boolean;
  readonly country?: 'BR' | 'CL';
  readonly json?: boolean;
}

const GROUP_HELP = `
Exit codes: 0 done; 1 failed, also for a company that the registry does not have
`;
const PATH_HELP = `
Exit codes: 0 done, also if no path was found; 1 failed
`;

/** Creates the option that names the country of the tax ids. */
export const countryOption = (): Option =>
  new Option('--country <code>', 'of the tax id; by default detected by its form').choices(['BR', 'CL']);

/** Formats a bare CNPJ or RUT. */
export const formatted = (taxId: string): string => formatTaxId({ country: taxId.length === 14 ? 'BR' : 'CL', taxId });

/** Returns the company of a tax id in the form of a request. @throws AppError INVALID_INPUT */
export function companyOf(text: string, country?: 'BR' | 'CL') {
  const key = country ? parseCompanyKey(country, text) : detectCompanyKey(text);
  return { identifier: formatTaxId(key), country: key.country };
}

/** @throws AppError INVALID_INPUT */
export function numberOf(option: string, text: string, max: number): number {
  const number = /^\d{1,2}$/.test(text) ? Number(text) : 0;
  if (number < 1 || number > max) throw invalidInput(option, `--${option}: give a number from 1 to ${max}.`);
  return number;
}

/** Creates `quipu group ID`, which prints the companies above and below a company. */
export const groupCommand = (parts: ClientParts): Command =>
  new Command('group')
    .description('Print the companies that own a company of Brazil or Chile and those that it owns, from a server')
    .argument('<id>', 'CNPJ or RUT')
    .addOption(countryOption())
    .option('--depth <n>', 'levels to follow, 1 to 10', '3')
    .addOption(new Option('--direction <direction>', 'up: its owners; down: what it owns').choices(['both', 'up', 'down']).default('both'))
    .addOption(urlOption())
    .addOption(keyOption())
    .option('--json', JSON_HELP)
    .addHelpText('after', GROUP_HELP)
    .action((id: string, options: GroupOptions) =>
      runOnServer(parts, options, async (server) => {
        const body = { ...companyOf(id, options.country), depth: numberOf('depth', options.depth, 10), direction: options.direction };
        const graph = await server.rest('POST /v1/group', { body });
        if (options.json) return parts.io.out(json(graph));
        const rows = graph.nodes.map((node) => [
          formatted(node.identifier),
          node.relation,
          String(node.depth),
          ownersOf(graph.edges, node.identifier),
          node.company_name ?? '–',
        ]);
        parts.io.out(tableText(['company', 'relation', 'depth', 'owners', 'name'], rows));
        parts.io.err(gapLines(graph.not_seen));
      }),
    );

/** Returns the companies of the graph that own a company. */
const ownersOf = (edges: readonly { readonly owner: string; readonly owned: string }[], taxId: string): string =>
  [...new Set(edges.filter(({ owned }) => owned === taxId).map(({ owner }) => formatted(owner)))].join(' ') || '–';

/** A part of a group that an answer does not show. */
interface Gap {
  readonly reason: string;
  readonly count: number;
  readonly companies: readonly string[];
}

const gapText = ({ reason, count, companies }: Gap): string =>
  [reason, ...(count > 0 ? [`(${count})`] : []), ...(companies.length > 0 ? ['at', companies.map(formatted).join(' ')] : [])].join(' ');

/** Returns a line for each part of a group that an answer does not show. */
export const gapLines = (gaps: readonly Gap[]): string => gaps.map((gap) => `Not shown: ${gapText(gap)}\n`).join('');

/** Creates `quipu connection FROM TO`, which prints a shortest path between two companies. */
export const connectionCommand = (parts: ClientParts): Command =>
  new Command('connection')
    .description('Print a shortest path between two companies of Brazil, or of Chile, from a server')
    .argument('<from>', 'CNPJ or RUT')
    .argument('<to>', 'CNPJ or RUT')
    .addOption(countryOption())
    .option('--max-depth <n>', 'edges of a path, 1 to 6', '4')
    .option('--no-people', 'no path through people')
    .addOption(urlOption())
    .addOption(keyOption())
    .option('--json', JSON_HELP)
    .addHelpText('after', PATH_HELP)
    .action((from: string, to: string, options: PathOptions) =>
      runOnServer(parts, options, async (server) => {
        const body = {
          from: companyOf(from, options.country),
          to: companyOf(to, options.country),
          max_depth: numberOf('max-depth', options.maxDepth, 6),
          people: options.people,
        };
        const path = await server.rest('POST /v1/connection', { body });
        if (options.json) return parts.io.out(json(path));
        const rows = path.edges.map(({ owner, person, owned, role, since }) => [
          owner ? formatted(owner.identifier) : (person?.identity.identifier ?? '–'),
          owner?.company_name ?? person?.name ?? '–',
          role || '–',
          since ?? '–',
          formatted(owned.identifier),
          owned.company_name ?? '–',
        ]);
        if (rows.length > 0) parts.io.out(tableText(['owner', 'name', 'role', 'since', 'company', 'name'], rows));
        const seen = `${path.visited_companies} companies and ${path.visited_people} people seen`;
        parts.io.err(`${[path.status, ...(path.stopped_by ? [`by ${path.stopped_by}`] : [])].join(' ').replaceAll('_', ' ')}: ${seen}.\n`);
        const unknown = [...(path.from_known ? [] : [body.from]), ...(path.to_known ? [] : [body.to])];
        for (const { identifier } of unknown) parts.io.err(`The registry has no company with the tax id ${identifier}.\n`);
        if (path.reason !== null) parts.io.err(`Incomplete: ${path.reason}\n`);
      }),
    );
