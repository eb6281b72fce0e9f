import { Command, Option } from 'commander';
import { COUNTRIES, type Country, detectCompanyKey, formatTaxId, parseCompanyKey } from '../domain/company.ts';
import { type ClientParts, keyOption, runOnServer, type ServerOptions, urlOption } from './client.ts';
import { JSON_HELP, json, tableText } from './run.ts';

interface Options extends ServerOptions {
  readonly country?: Country;
  readonly asOf?: string;
  readonly json?: boolean;
}

const HELP = `
Exit codes: 0 done; 1 failed, also for a company that the registry does not have, and for a day before the first extract
`;

/** Creates `quipu registration ID`, which prints the public record of a company at its tax registry. */
export const registrationCommand = (parts: ClientParts): Command =>
  new Command('registration')
    .description('Print the public record of a company at its tax registry (BR, CL) or in the commercial register (CO), from a server')
    .argument('<identifier>', 'tax id')
    .addOption(new Option('--country <code>', 'of the tax id; by default detected by its form').choices(COUNTRIES))
    .option('--as-of <day>', 'BR: by the last extract of the registry up to this day, YYYY-MM-DD')
    .addOption(urlOption())
    .addOption(keyOption())
    .option('--json', JSON_HELP)
    .addHelpText('after', HELP)
    .action((identifier: string, { asOf, ...options }: Options) =>
      runOnServer(parts, options, async (server) => {
        const key = options.country ? parseCompanyKey(options.country, identifier) : detectCompanyKey(identifier);
        const path = { country: key.country, id: formatTaxId(key) };
        const record = await server.rest('GET /v1/companies/{country}/{id}/registration', {
          path,
          ...(asOf !== undefined && { query: { as_of: asOf } }),
        });
        parts.io.out(options.json ? json(record) : tableText(['field', 'value'], rowsOf('', record)));
      }),
    );

/** Returns a row for each value of a record: its path and its text. A code and its words are one value; null and false values have no row. */
function rowsOf(path: string, value: unknown): readonly [string, string][] {
  if (value === null || value === false) return [];
  if (Array.isArray(value)) return value.flatMap((item) => rowsOf(path, item));
  if (typeof value !== 'object') return [[path, String(value)]];
  if ('code' in value && 'text' in value) return [[path, [value.code, value.text].filter((part) => part !== null).join(' ')]];
  return Object.entries(value as object).flatMap(([name, part]) => rowsOf(path === '' ? name : `${path}.${name}`, part));
}
