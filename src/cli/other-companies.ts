import { Command } from 'commander';
import { graphqlError } from '../../clients/typescript/src/error.ts';
import { invalidInput } from '../domain/errors.ts';
import { companyNotFound } from '../modules/owners/domain.ts';
import { type ClientParts, dataOf, keyOption, runOnServer, type Server, type ServerOptions, urlOption } from './client.ts';
import { companyOf, countryOption, formatted } from './group.ts';
import { JSON_HELP, json, tableText } from './run.ts';

interface Options extends ServerOptions {
  readonly limit: string;
  readonly country?: 'BR' | 'CL';
  readonly json?: boolean;
}

/** An owner with the first of its other companies, as the server returns it. Both are null for an owner without an id. */
interface FoundOwner {
  readonly name: string;
  readonly entityType: string;
  readonly identifier: string | null;
  readonly identity: {
    readonly identifier: string;
    readonly name: string;
    readonly namesakes: number;
    readonly expectedOthers: number;
  } | null;
  readonly otherCompanies: {
    readonly nodes: readonly {
      readonly company: { readonly identifier: string };
      readonly name: string | null;
      readonly status: string | null;
      readonly role: string;
      readonly since: string | null;
    }[];
    readonly reason: string | null;
    readonly pageInfo: { readonly hasNextPage: boolean };
  } | null;
}

interface Found {
  readonly company: { readonly owners: { readonly companyKnown: boolean; readonly owners: readonly FoundOwner[] } | null } | null;
}

type Owners = Awaited<ReturnType<typeof otherCompanies>>['owners'];

const QUERY = `query ($identifier: String!, $country: Country!, $first: Int) {
  company(identifier: $identifier, country: $country) {
    owners {
      companyKnown
      owners {
        name entityType identifier
        identity { identifier name namesakes expectedOthers }
        otherCompanies(first: $first) {
          nodes { company { identifier } name status role since } reason pageInfo { hasNextPage }
        }
      }
    }
  }
}`;

const HELP = `
Exit codes: 0 done, also if the owners have no other company; 1 failed, also for a company that the registry does not have
`;

/** Creates `quipu other-companies ID`, which prints the other companies of the owners of a company. */
export const otherCompaniesCommand = (parts: ClientParts): Command =>
  new Command('other-companies')
    .description('Print the other companies of the owners of a company of Brazil or Chile, from a server with a copy of the registry')
    .argument('<id>', 'CNPJ or RUT')
    .addOption(countryOption())
    .option('--limit <n>', 'companies of each owner to print, 1 to 100', '20')
    .addOption(urlOption())
    .addOption(keyOption())
    .option('--json', JSON_HELP)
    .addHelpText('after', HELP)
    .action((id: string, options: Options) =>
      runOnServer(parts, options, async (server) => {
        const found = await otherCompanies(server, id, options);
        if (options.json) return parts.io.out(json(found));
        const rows = rowsOf(found.owners);
        if (rows.length > 0) parts.io.out(tableText(['owner', 'company', 'registration', 'since', 'role', 'name'], rows));
        parts.io.err(notesOn(found.owners, rows.length));
      }),
    );

/** @throws AppError INVALID_INPUT, COMPANY_NOT_FOUND, QuipuError also if a part of the answer failed */
async function otherCompanies(server: Server, id: string, { limit, country }: Options) {
  if (!/^([1-9]\d?|100)$/.test(limit)) throw invalidInput('limit', '--limit: give a number from 1 to 100.');
  const variables = { ...companyOf(id, country), first: Number(limit) };
  const answer = await server.query<Found>({ query: QUERY, variables });
  if (answer.errors.length > 0) throw graphqlError(answer.errors);
  const owners = dataOf(answer).company?.owners;
  if (!owners?.companyKnown) throw companyNotFound(variables.country);
  return {
    owners: owners.owners.map(({ name, entityType, identifier, identity, otherCompanies: others }) => ({
      name,
      entity_type: entityType.toLowerCase(),
      identifier,
      identity: identity && {
        identifier: identity.identifier,
        name: identity.name,
        namesakes: identity.namesakes,
        expected_others: identity.expectedOthers,
      },
      /** Null for an owner whom the registry does not identify. */
      companies:
        others?.nodes.map(({ company, name: company_name, status, role, since }) => ({
          identifier: company.identifier,
          company_name,
          status: status?.toLowerCase() ?? null,
          role,
          since,
        })) ?? null,
      has_more: others?.pageInfo.hasNextPage ?? false,
      reason: others?.reason ?? null,
    })),
  };
}

const rowsOf = (owners: Owners): readonly (readonly string[])[] =>
  owners.flatMap(({ name, companies }) =>
    (companies ?? []).map((one) => [
      name,
      formatted(one.identifier),
      ...[one.status ?? '–', one.since ?? '–', one.role || '–', one.company_name ?? '–'],
    ]),
  );

/** Returns notes on what the table does not show, and on how certain it is. */
const notesOn = (owners: Owners, rows: number): string =>
  [
    ...(rows === 0 ? ['No other company is known.\n'] : []),
    ...owners.flatMap(({ name, identity, companies, has_more, reason }) => [
      ...(companies === null ? [`${name}: the registry gives no id to look for.\n`] : []),
      ...(identity && companies?.length
        ? [`${name}: found by name and six digits of the CPF; other people expected with both: ${identity.expected_others}.\n`]
        : []),
      ...(has_more ? [`${name}: more companies; --limit, or POST /v1/other-companies.\n`] : []),
      ...(reason === null ? [] : [`${name}: incomplete: ${reason}\n`]),
    ]),
  ].join('');
