import { Command, Option } from 'commander';
import { type Country, formatTaxId } from '../domain/company.ts';
import { invalidInput } from '../domain/errors.ts';
import { type ClientParts, dataOf, keyOption, runOnServer, type Server, type ServerOptions, urlOption } from './client.ts';
import { JSON_HELP, json, tableText } from './run.ts';

interface Options extends ServerOptions {
  readonly country: Country;
  readonly status?: string;
  readonly state?: string;
  readonly municipality?: string;
  readonly activity?: string;
  readonly nature?: string;
  readonly size?: string;
  readonly openedFrom?: string;
  readonly openedTo?: string;
  readonly headOffices?: boolean;
  readonly branches?: boolean;
  readonly limit: string;
  readonly after?: string;
  readonly json?: boolean;
}

/** A company that was found, as the server returns it. Fields that its registry's index lacks are null. */
interface FoundNode {
  readonly name: string;
  readonly tradeName: string | null;
  readonly status: string | null;
  readonly municipality: string | null;
  readonly state: string | null;
  readonly openedOn: string | null;
  readonly matchedOn: string;
  readonly score: number;
  readonly company: { readonly country: Country; readonly identifier: string };
}

interface Found {
  readonly searchCompanies: {
    readonly nodes: readonly FoundNode[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
    readonly isTruncated: boolean;
    readonly limitedBy: 'COMMON_WORDS' | 'MANY_NAMES' | 'MANY_COMPLETIONS' | 'UNREAD_ROWS' | null;
    readonly freshness: { readonly dataAsOf: string | null };
  } | null;
}

type FoundPage = Awaited<ReturnType<typeof search>>;

const QUERY = `query ($name: String!, $country: Country!, $filter: CompanyFilter, $first: Int, $after: String) {
  searchCompanies(name: $name, country: $country, filter: $filter, first: $first, after: $after) {
    nodes { name tradeName status municipality state openedOn matchedOn score company { country identifier } }
    pageInfo { hasNextPage endCursor } isTruncated limitedBy freshness { dataAsOf }
  }
}`;

const HELP = `
Exit codes: 0 done, also where no company has such a name; 1 failed
`;

/** Creates `quipu search NAME`, which finds companies by name on a server. */
export const searchCommand = (parts: ClientParts): Command =>
  new Command('search')
    .description('Find companies of Chile or Brazil by name on a server, the best names first')
    .argument('<name...>', 'name or part of it; every word must occur in the name')
    .addOption(new Option('--country <code>', 'country of the registry').choices(['BR', 'CL']).default('CL'))
    .addOption(new Option('--status <status>', 'BR: registration status').choices(['active', 'inactive']))
    .option('--state <uf>', 'BR: two letters of the state')
    .option('--municipality <name>', 'BR: name of the municipality, or its code at the registry')
    .option('--activity <cnae>', 'BR: first two to seven digits of the main activity')
    .option('--nature <code>', 'BR: four digits of the legal nature')
    .addOption(new Option('--size <size>', 'BR: size class').choices(['micro', 'small', 'other']))
    .option('--opened-from <day>', 'BR: opened on this day or later, YYYY-MM-DD')
    .option('--opened-to <day>', 'BR: opened on this day or before, YYYY-MM-DD')
    .addOption(new Option('--head-offices', 'BR: head offices only').conflicts('branches'))
    .option('--branches', 'BR: branches only')
    .option('--limit <n>', 'companies to print, 1 to 100', '20')
    .option('--after <cursor>', 'continue after this page: next_after of its JSON, or the cursor printed below its table')
    .addOption(urlOption())
    .addOption(keyOption())
    .option('--json', JSON_HELP)
    .addHelpText('after', HELP)
    .action((words: readonly string[], options: Options) =>
      runOnServer(parts, options, async (server) => {
        const page = await search(server, words.join(' '), options);
        parts.io.out(options.json ? json(page) : table(page));
        if (!options.json) parts.io.err(notes(page));
      }),
    );

/** Returns the filter of the options; null without one. */
function filterOf(options: Options): Readonly<Record<string, unknown>> | null {
  const { status, state, municipality, activity, nature, size, openedFrom, openedTo, headOffices, branches } = options;
  const given = {
    ...{
      status: status?.toUpperCase(),
      state,
      municipality,
      activity,
      legalNature: nature,
      size: size?.toUpperCase(),
      openedFrom,
      openedTo,
    },
    isHeadOffice: headOffices ? true : branches ? false : undefined,
  };
  return Object.values(given).some((value) => value !== undefined) ? given : null;
}

/** @throws AppError INVALID_INPUT, QuipuError */
async function search(server: Server, name: string, options: Options) {
  const { country, limit, after } = options;
  if (!/^([1-9]\d?|100)$/.test(limit)) throw invalidInput('limit', '--limit: give a number from 1 to 100.');
  const variables = { name, country, filter: filterOf(options), first: Number(limit), after: after ?? null };
  const { data, ...rest } = await server.query<Found>({ query: QUERY, variables });
  const found = dataOf({ ...rest, data: data?.searchCompanies ?? null });
  const { hasNextPage, endCursor } = found.pageInfo;
  return {
    companies: found.nodes.map(({ company: { country, identifier }, ...node }) => ({
      country,
      identifier: formatTaxId({ country, taxId: identifier }),
      name: node.name,
      score: node.score,
      trade_name: node.tradeName,
      status: node.status,
      municipality: node.municipality,
      state: node.state,
      opened_on: node.openedOn,
      matched_on: node.matchedOn,
    })),
    /** Value of `--after` for the next page; null on the last one. */
    next_after: hasNextPage ? endCursor : null,
    is_truncated: found.isTruncated,
    limited_by: found.limitedBy,
    /** Day of the copy of the registry, YYYY-MM-DD. */
    data_as_of: found.freshness.dataAsOf,
  };
}

/** The index of the Chilean registry has neither status nor place. */
const table = ({ companies }: FoundPage): string =>
  companies.some(({ status }) => status !== null)
    ? tableText(
        ['company', 'status', 'place', 'name'],
        companies.map(({ country, identifier, name, status, municipality, state }) => [
          ...[`${country} ${identifier}`, status?.toLowerCase() ?? ''],
          ...[[municipality, state].filter((one) => one !== null).join(', '), name],
        ]),
      )
    : tableText(
        ['company', 'score', 'name'],
        companies.map(({ country, identifier, name, score }) => [`${country} ${identifier}`, score.toFixed(2), name]),
      );

const LIMITS = {
  COMMON_WORDS: 'Very many names have these words: those of the oldest companies were searched. Add a word or a condition.\n',
  MANY_NAMES: 'More than 1,000 names match, of which 1,000 were ranked: add a word to find the others.\n',
  MANY_COMPLETIONS: 'Many words begin with the last one, of which the most frequent were searched: give the whole word.\n',
  UNREAD_ROWS: 'Rows of the registry could not be read, or were erased by the operator: a company may be missing.\n',
} as const;

/** Returns notes on what the table does not show. */
const notes = ({ companies, next_after, limited_by }: FoundPage): string =>
  [
    ...(companies.length === 0 ? ['No company has such a name.\n'] : []),
    ...(next_after === null ? [] : [`More companies: --after ${next_after}\n`]),
    ...(limited_by === null ? [] : [LIMITS[limited_by]]),
  ].join('');
