import { Command, Option } from 'commander';
import { detectCompanyKey, formatTaxId, requireCountry } from '../domain/company.ts';
import { HISTORY_COUNTRIES, HISTORY_FIELDS } from '../modules/kyb/loaders/history.ts';
import { type ClientParts, keyOption, runOnServer, type ServerOptions, urlOption } from './client.ts';
import { JSON_HELP, json, tableText } from './run.ts';

interface Options extends ServerOptions {
  readonly fields?: string;
  readonly limit: string;
  readonly after?: string;
  readonly json?: boolean;
}

const HELP = `
Fields: ${HISTORY_FIELDS.join(', ')}

Exit codes: 0 done; 1 failed, also if the server has no two versions of the registry to compare
`;

/** Creates `quipu history ID`, which prints the changes of a company between the versions of its tax registry, or of its file of owners. */
export const historyCommand = (parts: ClientParts): Command =>
  new Command('history')
    .description(
      'Print the changes of a company of BR between the extracts of its tax registry, or of the owners of one of CL, newest first, from a server',
    )
    .argument('<identifier>', 'CNPJ or RUT')
    .option('--fields <list>', 'fields, separated by commas; by default all that the key may read')
    .addOption(new Option('--limit <n>', 'changes of a page, 1 to 100').default('100'))
    .option('--after <cursor>', 'print the page after this cursor')
    .addOption(urlOption())
    .addOption(keyOption())
    .option('--json', JSON_HELP)
    .addHelpText('after', HELP)
    .action((identifier: string, { fields, limit, after, ...options }: Options) =>
      runOnServer(parts, options, async (server) => {
        const { country, taxId } = detectCompanyKey(identifier);
        const company = { country: requireCountry(country, HISTORY_COUNTRIES, 'The history'), taxId };
        const path = { country: company.country, id: formatTaxId(company) };
        const query = { limit, ...(fields !== undefined && { fields }), ...(after !== undefined && { after }) };
        const history = await server.rest('GET /v1/companies/{country}/{id}/history', { path, query });
        if (options.json) return parts.io.out(json(history));
        const rows = history.changes.map((one) => [
          one.extract_to,
          one.field,
          shown(one.before),
          shown(one.after),
          shown(one.establishment ?? one.partner?.name ?? null),
        ]);
        parts.io.out(tableText(['extract', 'field', 'before', 'after', 'of'], rows));
        const known = `All changes between the extracts of ${history.covered_from} and ${history.covered_to} are known.`;
        parts.io.err(`${history.coverage ?? known}\n`);
        if (history.has_more) parts.io.err(`More changes: --after ${history.next_after}\n`);
      }),
    );

const shown = (value: string | null): string => value ?? '-';
