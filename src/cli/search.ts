import { Command, Option } from 'commander';
import { type Country, formatTaxId } from '../domain/company.ts';
import { invalidInput } from '../domain/errors.ts';
import { type ClientParts, dataOf, keyOption, runOnServer, type Server, type ServerOptions, urlOption } from './client.ts';
import { JSON_HELP, json, tableText } from './run.ts';

interface Options extends ServerOptions {
  readonly country: Country;
  readonly limit: string;
  readonly after?: string;
  readonly json?: boolean;
}

/** A page of companies, the most similar names first. */
interface FoundPage {
  readonly companies: readonly { readonly country: Country; readonly identifier: string; readonly name: string; readonly score: number }[];
  /** Value of `--after` for the next page; null on the last one. */
  readonly next_after: string | null;
  /** True if more names match than are ranked. */
  readonly is_truncated: boolean;
  /** Day of the copy of the registry, YYYY-MM-DD. */
  readonly data_as_of: string | null;
}

interface Found {
  readonly searchCompanies: {
    readonly nodes: readonly {
      readonly name: string;
      readonly score: number;
      readonly company: { readonly country: Country; readonly identifier: string };
    }[];
    readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string | null };
    readonly isTruncated: boolean;
    readonly freshness: { readonly dataAsOf: string | null };
  } | null;
}

const QUERY = `query ($name: String!, $country: Country!, $first: Int, $after: String) {
  searchCompanies(name: $name, country: $country, first: $first, after: $after) {
    nodes { name score company { country identifier } } pageInfo { hasNextPage endCursor } isTruncated freshness { dataAsOf }
  }
}`;

const HELP = `
Exit codes: 0 done, also where no company has such a name; 1 failed
`;

/** Creates `quipu search NAME`, which finds companies by name on a server. */
export const searchCommand = (parts: ClientParts): Command =>
  new Command('search')
    .description('Find companies of Chile by name on a server, the most similar names first')
    .argument('<name...>', 'name or part of it; every word must occur in the name, or a similar word')
    .addOption(new Option('--country <code>', 'country of the registry').choices(['CL']).default('CL'))
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

/** @throws AppError INVALID_INPUT, QuipuError */
async function search(server: Server, name: string, { country, limit, after }: Options): Promise<FoundPage> {
  if (!/^([1-9]\d?|100)$/.test(limit)) throw invalidInput('limit', '--limit: give a number from 1 to 100.');
  const variables = { name, country, first: Number(limit), after: after ?? null };
  const { data, ...rest } = await server.query<Found>({ query: QUERY, variables });
  const found = dataOf({ ...rest, data: data?.searchCompanies ?? null });
  const { hasNextPage, endCursor } = found.pageInfo;
  return {
    companies: found.nodes.map(({ name, score, company: { country, identifier } }) => ({
      country,
      identifier: formatTaxId({ country, taxId: identifier }),
      name,
      score,
    })),
    next_after: hasNextPage ? endCursor : null,
    is_truncated: found.isTruncated,
    data_as_of: found.freshness.dataAsOf,
  };
}

const table = ({ companies }: FoundPage): string =>
  tableText(
    ['company', 'score', 'name'],
    companies.map(({ country, identifier, name, score }) => [`${country} ${identifier}`, score.toFixed(2), name]),
  );

/** Returns notes on what the table does not show. */
const notes = ({ companies, next_after, is_truncated }: FoundPage): string =>
  [
    ...(companies.length === 0 ? ['No company has such a name.\n'] : []),
    ...(next_after === null ? [] : [`More companies: --after ${next_after}\n`]),
    ...(is_truncated ? ['More than 1,000 names match, of which 1,000 were ranked: add a word to find the others.\n'] : []),
  ].join('');
