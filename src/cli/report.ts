import { existsSync } from 'node:fs';
import path from 'node:path';
import { Command, Option } from 'commander';
import { graphqlError } from '../../clients/typescript/src/error.ts';
import { COUNTRIES, type CompanyKey, type Country, detectCompanyKey, formatTaxId, parseCompanyKey } from '../domain/company.ts';
import { invalidInput } from '../domain/errors.ts';
import { LANGUAGES, type Language } from '../messages/message.ts';
import { type ClientParts, dataOf, keyOption, runOnServer, type Server, type ServerOptions, urlOption } from './client.ts';
import { download } from './download.ts';
import { JSON_HELP, json } from './run.ts';

interface Options extends ServerOptions {
  readonly country?: Country;
  readonly language: Language;
  readonly timeZone?: string;
  readonly output?: string;
  readonly force?: boolean;
  readonly json?: boolean;
}

const HELP = `
A tax id is checked now, which is counted, and its receipt is stored. An id of a receipt gives the report of that check again.
Exit codes: 0 the report is saved, 1 failed
`;

/** Creates `quipu report ID`, which saves the report about a company as PDF. */
export const reportCommand = (parts: ClientParts): Command =>
  new Command('report')
    .description('Save the report about a company as PDF, from a server')
    .argument('<id>', 'tax id, or id of a receipt (evd_…)')
    .addOption(new Option('--country <code>', 'of the tax id; by default detected by its form').choices(COUNTRIES))
    .addOption(new Option('--language <code>', 'of the report').choices(LANGUAGES).default('en'))
    .option('--time-zone <name>', 'time zone of the reader, such as America/Bogota; that of this machine by default')
    .option('--output <file>', 'file of the report; ID.pdf in the current folder by default')
    .option('--force', 'replace the output if it exists')
    .addOption(urlOption())
    .addOption(keyOption())
    .option('--json', JSON_HELP)
    .addHelpText('after', HELP)
    .action((id: string, options: Options) =>
      runOnServer(parts, options, async (server) => parts.io.out(await saveReport(server, id, options))),
    );

/** A receipt, as its prefix says. */
const RECEIPT = /^evd_\w{1,64}$/;

async function saveReport(
  server: Server,
  id: string,
  { country, language, timeZone, output, force, json: asJson }: Options,
): Promise<string> {
  const company = RECEIPT.test(id) ? null : country ? parseCompanyKey(country, id) : detectCompanyKey(id);
  const file = output ?? `${company ? formatTaxId(company).replaceAll(/[^\w-]/g, '') : id}.pdf`;
  if (existsSync(file) && !force) throw invalidInput('output', `${file} exists: name another --output, or use --force.`);
  const receipt = company ? await receiptOf(server, company) : id;
  const zone = timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
  await download(server, `/v1/evidence/${receipt}?${new URLSearchParams({ format: 'report', language, time_zone: zone })}`, file);
  return asJson ? json({ receipt_id: receipt, output: path.resolve(file) }) : `The report of ${receipt} is saved in ${file}.\n`;
}

const QUERY = `query ($id: String!, $country: Country!) { company(identifier: $id, country: $country) { compliance(receipt: true) { evidence { id } } } }`;

interface Checked {
  readonly company: { readonly compliance: { readonly evidence: { readonly id: string } | null } | null } | null;
}

/** Checks a company, and returns the id of the receipt. @throws QuipuError for a check without a receipt */
async function receiptOf(server: Server, { country, taxId }: CompanyKey): Promise<string> {
  const answer = await server.query<Checked>({ query: QUERY, variables: { id: taxId, country } });
  const receipt = dataOf(answer).company?.compliance?.evidence;
  if (!receipt) throw graphqlError(answer.errors);
  return receipt.id;
}
