import { Command } from 'commander';
import { invalidInput } from '../domain/errors.ts';
import { type ClientParts, keyOption, runOnServer, type ServerOptions, urlOption } from './client.ts';
import { companyOf, countryOption, formatted } from './group.ts';
import { JSON_HELP, json, tableText } from './run.ts';

interface Options extends ServerOptions {
  readonly limit: string;
  readonly after?: string;
  readonly status?: 'active' | 'inactive';
  readonly country?: 'BR' | 'CL';
  readonly json?: boolean;
}

const HELP = `
Exit codes: 0 done, also for an empty list; 1 failed
`;

/** Creates a command that prints a page of a list of one company. @param ids kinds of tax ids that it takes */
const pageCommand = (name: string, description: string, ids: string): Command =>
  new Command(name)
    .description(description)
    .argument('<id>', ids)
    .option('--limit <n>', 'items to print, 1 to 100', '100')
    .option('--after <cursor>', 'continue after this page: next_after of its JSON, or the cursor printed below its table')
    .addOption(urlOption())
    .addOption(keyOption())
    .option('--json', JSON_HELP)
    .addHelpText('after', HELP);

/** The members that all pages have. */
interface Page {
  readonly company_known: boolean;
  readonly reason: string | null;
  readonly has_more: boolean;
  readonly next_after: string | null;
}

/** Returns notes on what the table does not show. */
const notesOn = ({ company_known, reason, has_more, next_after }: Page, count: number, none: string): string =>
  [
    ...(company_known ? [] : ['The registry has no company with this tax id.\n']),
    ...(count === 0 ? [`${none}\n`] : []),
    ...(reason === null ? [] : [`Incomplete: ${reason}\n`]),
    ...(has_more ? [`More: --after ${next_after}\n`] : []),
  ].join('');

/** @throws AppError INVALID_INPUT */
function requestOf(text: string, { limit, after, country }: Options) {
  if (!/^([1-9]\d?|100)$/.test(limit)) throw invalidInput('limit', '--limit: give a number from 1 to 100.');
  const company = companyOf(text, country);
  const path = { country: company.country, id: company.identifier };
  return { path, query: { limit, ...(after !== undefined && { after }) } };
}

/** Creates `quipu owns ID`, which prints the companies of which a company is an owner or officer. */
export const ownsCommand = (parts: ClientParts): Command =>
  pageCommand('owns', 'Print the companies of which a company of Brazil or Chile is an owner or officer, from a server', 'CNPJ or RUT')
    .addOption(countryOption())
    .action((id: string, options: Options) =>
      runOnServer(parts, options, async (server) => {
        const page = await server.rest('GET /v1/companies/{country}/{id}/holdings', requestOf(id, options));
        if (options.json) return parts.io.out(json(page));
        const rows = page.holdings.map((one) => [
          formatted(one.identifier),
          one.status ?? '–',
          one.since ?? '–',
          one.role,
          one.share?.percent ?? '–',
          one.company_name ?? '–',
        ]);
        parts.io.out(tableText(['company', 'registration', 'since', 'role', 'share', 'name'], rows));
        parts.io.err(notesOn(page, rows.length, 'It is an owner of no company.'));
      }),
    );

/** Creates `quipu branches CNPJ`, which prints the branches of a company. */
export const branchesCommand = (parts: ClientParts): Command =>
  pageCommand('branches', 'Print the branches of a Brazilian company, from a server with a copy of the registry', 'CNPJ')
    .option('--status <status>', 'only branches with this registration: active or inactive')
    .action((cnpj: string, options: Options) =>
      runOnServer(parts, options, async (server) => {
        const { path, query } = requestOf(cnpj, { ...options, country: 'BR' });
        const { status } = options;
        const page = await server.rest('GET /v1/companies/{country}/{id}/branches', {
          path,
          query: { ...query, ...(status && { status }) },
        });
        if (options.json) return parts.io.out(json(page));
        const rows = page.branches.map((one) => [
          formatted(one.identifier),
          one.status,
          one.opened_on ?? '–',
          `${one.municipality ?? '–'} ${one.region ?? ''}`.trim(),
          one.trade_name ?? '–',
        ]);
        parts.io.out(tableText(['branch', 'registration', 'opened', 'place', 'trade name'], rows));
        parts.io.err(notesOn(page, rows.length, 'It has no such branch.'));
      }),
    );
