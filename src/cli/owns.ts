import { Command } from 'commander';
import { formatTaxId, parseCompanyKey } from '../domain/company.ts';
import { invalidInput } from '../domain/errors.ts';
import { type ClientParts, keyOption, runOnServer, type ServerOptions, urlOption } from './client.ts';
import { JSON_HELP, json, tableText } from './run.ts';

interface Options extends ServerOptions {
  readonly limit: string;
  readonly after?: string;
  readonly status?: 'active' | 'inactive';
  readonly json?: boolean;
}

const HELP = `
Exit codes: 0 done, also for an empty list; 1 failed
`;

/** Creates a command that prints a page of a list of one Brazilian company. */
const pageCommand = (name: string, description: string): Command =>
  new Command(name)
    .description(description)
    .argument('<cnpj>', 'CNPJ')
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
    ...(company_known ? [] : ['The registry has no company with this CNPJ.\n']),
    ...(count === 0 ? [`${none}\n`] : []),
    ...(reason === null ? [] : [`Incomplete: ${reason}\n`]),
    ...(has_more ? [`More: --after ${next_after}\n`] : []),
  ].join('');

/** @throws AppError INVALID_INPUT */
function requestOf(cnpj: string, { limit, after }: Options) {
  if (!/^([1-9]\d?|100)$/.test(limit)) throw invalidInput('limit', '--limit: give a number from 1 to 100.');
  const path = { country: 'BR', id: formatTaxId(parseCompanyKey('BR', cnpj)) };
  return { path, query: { limit, ...(after !== undefined && { after }) } };
}

const formatted = (taxId: string): string => formatTaxId({ country: 'BR', taxId });

/** Creates `quipu owns CNPJ`, which prints the companies of which a company is an owner or officer. */
export const ownsCommand = (parts: ClientParts): Command =>
  pageCommand(
    'owns',
    'Print the companies of which a Brazilian company is an owner or officer, from a server with a copy of the registry',
  ).action((cnpj: string, options: Options) =>
    runOnServer(parts, options, async (server) => {
      const page = await server.rest('GET /v1/companies/{country}/{id}/holdings', requestOf(cnpj, options));
      if (options.json) return parts.io.out(json(page));
      const rows = page.holdings.map((one) => [
        formatted(one.identifier),
        one.status ?? '–',
        one.since ?? '–',
        one.role,
        one.company_name ?? '–',
      ]);
      parts.io.out(tableText(['company', 'registration', 'since', 'role', 'name'], rows));
      parts.io.err(notesOn(page, rows.length, 'It is an owner of no company.'));
    }),
  );

/** Creates `quipu branches CNPJ`, which prints the branches of a company. */
export const branchesCommand = (parts: ClientParts): Command =>
  pageCommand('branches', 'Print the branches of a Brazilian company, from a server with a copy of the registry')
    .option('--status <status>', 'only branches with this registration: active or inactive')
    .action((cnpj: string, options: Options) =>
      runOnServer(parts, options, async (server) => {
        const { path, query } = requestOf(cnpj, options);
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
