import { Command, Option } from 'commander';
import { formatTaxId, parseCompanyKey } from '../domain/company.ts';
import { REGISTRY_FIELDS } from '../sources/receita-federal/copy/change-field.ts';
import { type ClientParts, keyOption, runOnServer, type ServerOptions, urlOption } from './client.ts';
import { JSON_HELP, json, tableText } from './run.ts';

interface Options extends ServerOptions {
  readonly fields?: string;
  readonly limit: string;
  readonly after?: string;
  readonly json?: boolean;
}

const HELP = `
Fields: ${REGISTRY_FIELDS.join(', ')}

Exit codes: 0 done; 1 failed, also if the server has no two extracts of the registry to compare
`;

/** Creates `quipu history ID`, which prints the changes of a company between the extracts of its tax registry. */
export const historyCommand = (parts: ClientParts): Command =>
  new Command('history')
    .description('Print the changes of a company of BR between the extracts of its tax registry, newest first, from a server')
    .argument('<identifier>', 'CNPJ')
    .option('--fields <list>', 'fields, separated by commas; by default all that the key may read')
    .addOption(new Option('--limit <n>', 'changes of a page, 1 to 100').default('100'))
    .option('--after <cursor>', 'print the page after this cursor')
    .addOption(urlOption())
    .addOption(keyOption())
    .option('--json', JSON_HELP)
    .addHelpText('after', HELP)
    .action((identifier: string, { fields, limit, after, ...options }: Options) =>
      runOnServer(parts, options, async (server) => {
        const path = { country: 'BR', id: formatTaxId(parseCompanyKey('BR', identifier)) };
        const query = { limit, ...(fields !== undefined && { fields }), ...(after !== undefined && { after }) };
        const history = await server.rest('GET /v1/companies/{country}/{id}/history', { path, query });
        if (options.json) return parts.io.out(json(history));
        const rows = history.changes.map((one) => [
          one.extract_to,
          one.field,
          shown(one.before),
          shown(one.after),
          shown(one.establishment),
        ]);
        parts.io.out(tableText(['extract', 'field', 'before', 'after', 'establishment'], rows));
        parts.io.err(`All changes between the extracts of ${history.covered_from} and ${history.covered_to} are known.\n`);
        if (history.has_more) parts.io.err(`More changes: --after ${history.next_after}\n`);
      }),
    );

const shown = (value: string | null): string => value ?? '-';
