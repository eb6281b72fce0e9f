import { Command, Option } from 'commander';
import type { GraphqlError } from '../../clients/typescript/src/error.ts';
import { ALL_SANCTIONS_LISTS } from '../domain/catalogue.ts';
import { COUNTRIES, type CompanyKey, type Country, detectCompanyKey, formatTaxId, parseCompanyKey } from '../domain/company.ts';
import { AppError, invalidInput } from '../domain/errors.ts';
import { optionalLists } from '../domain/optional-lists.ts';
import { type ClientParts, dataOf, keyOption, runOnServer, type Server, type ServerOptions, urlOption } from './client.ts';
import { EXIT, JSON_HELP, json, readOne, tableText } from './run.ts';

interface Options extends ServerOptions {
  readonly country?: Country;
  readonly lists?: readonly string[];
  readonly include?: readonly string[];
  readonly json?: boolean;
}

/** The result of the check of one company. */
interface Verdict {
  readonly country: Country;
  readonly identifier: string;
  readonly company_name: string | null;
  readonly registration_status: string | null;
  /** Risk level of the consolidated check; null if it failed. */
  readonly risk_level: string | null;
  /** Findings as `<check>.<code>: <sentence>`. */
  readonly findings: readonly string[];
  /** Facts that are no finding: leniency agreements. Absent unless `--include` was given. */
  readonly information?: readonly string[];
  /** Checks that failed, each with its reason if it is known. */
  readonly not_checked: readonly string[];
}

const DEBARMENT_LISTS = optionalLists({ check: 'debarment' });

/** Maximum number of companies. `quipu screen` takes more. */
const MAX_COMPANIES = 100;

/** Fields of each country. A consolidated check includes its parts, so nothing else is selected besides it. */
const FIELDS: Readonly<Record<Country, string>> = {
  BR: verdictWith('kyb { companyName status } owners { companyName }'),
  CL: verdictWith('kyb { companyName status } taxHealth { companyName debtorsChecked }'),
  CO: verdictWith('kyb { companyName status }'),
};

function verdictWith(checks: string): string {
  return `compliance { riskLevel sourcesFailed riskReasons { check code message } checks { ${checks} } }`;
}

/** Records of lists that `--include` names. */
interface Debarment {
  readonly records: readonly {
    readonly source: string;
    readonly sanctionType: string;
    readonly sanctioningBody: string;
    readonly status: string;
  }[];
  readonly agreements: readonly { readonly situation: string; readonly body: string }[] | null;
}

interface Registration {
  readonly companyName: string | null;
  readonly status: string;
}

/** The lists that the command line has chosen: those of the debarment check, and those of sanctions. */
interface ChosenLists {
  readonly include: readonly string[];
  readonly lists: readonly string[];
}

/** Selects the parties of the chosen sanctions lists; nothing without a list. */
const sanctionsOf = (lists: readonly string[]): string =>
  lists.length === 0
    ? ''
    : `sanctions(lists: [${lists.join()}]) { matches { list entryName effect } possibleMatches { list entryName effect score matchedById } }`;

interface ListedParty {
  readonly list: string;
  readonly entryName: string;
  readonly effect: string;
}

/** A company with the fields of its country. */
interface Company {
  readonly sanctions?: {
    readonly matches: readonly ListedParty[];
    readonly possibleMatches: readonly (ListedParty & { readonly score: number; readonly matchedById: boolean })[] | null;
  } | null;
  readonly debarment?: Debarment | null;
  readonly compliance?: {
    readonly riskLevel: string;
    readonly sourcesFailed: readonly string[];
    readonly riskReasons: readonly { readonly check: string; readonly code: string; readonly message: string }[];
    readonly checks: {
      readonly kyb: Registration | null;
      readonly owners?: { readonly companyName: string | null } | null;
      readonly taxHealth?: { readonly companyName: string | null; readonly debtorsChecked: boolean } | null;
    };
  } | null;
}

const HELP = `
Names of lists are separated by blanks or commas. The tax ids come before --lists and --include.

Exit codes: 0 every company was checked completely and nothing was found, 2 a company has a finding, 3 nothing was found, but
a company was not checked completely, 1 failed. A company without findings is no company with a clearance.
`;

/** Creates `quipu check ID…`, which checks companies on a server and prints the findings. */
export const checkCommand = (parts: ClientParts): Command =>
  new Command('check')
    .description('Check companies on a server: BR by compliance_br; CL and CO by compliance')
    .argument('<identifiers...>', `tax ids, ${MAX_COMPANIES} at most`)
    .addOption(new Option('--country <code>', 'of all tax ids; by default detected by their form').choices(COUNTRIES))
    .option(
      '--lists <names...>',
      `sanctions lists to search beside the verdict, also by name; module sanctions: ${ALL_SANCTIONS_LISTS.join(', ')}`,
    )
    .option('--include <names...>', `optional lists that are read for BR, too: ${DEBARMENT_LISTS.join(', ')}`)
    .addOption(urlOption())
    .addOption(keyOption())
    .option('--json', JSON_HELP)
    .addHelpText('after', HELP)
    .action((identifiers: readonly string[], options: Options) =>
      runOnServer(parts, options, async (server) => {
        const chosen = { include: readLists(DEBARMENT_LISTS, options.include), lists: readLists(ALL_SANCTIONS_LISTS, options.lists) };
        const verdicts = await check(server, readCompanies(identifiers, options.country), chosen);
        parts.io.out(options.json ? json(verdicts) : table(verdicts));
        if (verdicts.some(({ findings }) => findings.length > 0)) process.exitCode = EXIT.finding;
        else if (verdicts.some(({ not_checked }) => not_checked.length > 0)) process.exitCode = EXIT.incomplete;
      }),
    );

/** @throws AppError INVALID_INPUT naming the tax id */
function readCompanies(identifiers: readonly string[], country: Country | undefined): readonly CompanyKey[] {
  if (identifiers.length > MAX_COMPANIES)
    throw invalidInput('identifiers', `Give at most ${MAX_COMPANIES} tax ids; for more, put them into a file: quipu screen FILE`);
  return identifiers.map((text) => {
    try {
      return country ? parseCompanyKey(country, text) : detectCompanyKey(text);
    } catch (error) {
      throw error instanceof AppError ? invalidInput('identifiers', `${text}: ${error.message}`) : error;
    }
  });
}

/** Reads names of lists, separated by commas, blanks or both, each once. @throws AppError INVALID_INPUT for an unknown list */
const readLists = (known: readonly string[], texts: readonly string[] = []): readonly string[] => [
  ...new Set(texts.flatMap((text) => text.split(/[,\s]/)).flatMap((name) => (name === '' ? [] : [readOne('list', known, name)]))),
];

/** Country → its companies in the order of the request; null for a company that failed. */
type Companies = Readonly<Record<string, readonly (Company | null)[]>>;

/** Reads all companies in one request, by country. @throws QuipuError */
async function check(server: Server, companies: readonly CompanyKey[], { include, lists }: ChosenLists): Promise<readonly Verdict[]> {
  const ofCountry = Map.groupBy(companies, ({ country }) => country);
  const countries = [...ofCountry.keys()];
  const query = `query (${countries.map((code) => `$${code}: [String!]!`).join(', ')}) { ${countries
    .map(
      (code) =>
        `${code}: companies(identifiers: $${code}, country: ${code}) { ${FIELDS[code]} ${code === 'BR' ? debarmentWith(include) : ''} ${sanctionsOf(lists)} }`,
    )
    .join(' ')} }`;
  const variables = Object.fromEntries([...ofCountry].map(([code, keys]) => [code, keys.map(({ taxId }) => taxId)]));
  const answer = await server.query<Companies>({ query, variables });
  const found = dataOf(answer);
  return companies.map((key) => {
    const position = ofCountry.get(key.country)?.indexOf(key) ?? -1;
    const failed = answer.errors.filter(({ path: [code, at] = [] }) => code === key.country && at === position);
    return verdictOf(key, found[key.country]?.[position] ?? {}, failed);
  });
}

function verdictOf(key: CompanyKey, { compliance, debarment, sanctions }: Company, failed: readonly GraphqlError[]): Verdict {
  const { kyb = null, owners, taxHealth } = compliance?.checks ?? {};
  return {
    country: key.country,
    identifier: formatTaxId(key),
    company_name: kyb?.companyName ?? owners?.companyName ?? taxHealth?.companyName ?? null,
    registration_status: kyb?.status.toLowerCase() ?? null,
    risk_level: compliance?.riskLevel.toLowerCase() ?? null,
    findings: [
      ...(compliance?.riskReasons ?? []).map(({ check, code, message }) => `${check.toLowerCase()}.${code.toLowerCase()}: ${message}`),
      ...(sanctions?.matches ?? []).map((party) => `sanctions.listed: ${partyText(party)}`),
      ...(sanctions?.possibleMatches ?? [])
        .filter(({ matchedById }) => !matchedById)
        .map((party) => `sanctions.possible_match: ${partyText(party)}, score ${party.score}`),
      ...listFindings(debarment ?? null),
    ],
    ...(debarment !== undefined && { information: agreementsOf(debarment) }),
    not_checked: [
      ...(compliance?.sourcesFailed ?? []).map((name) => name.toLowerCase()),
      ...(taxHealth?.debtorsChecked === false ? ['tax_health: no list of tax debtors'] : []),
      ...(sanctions?.possibleMatches === null && !failed.some(({ path }) => path?.includes('sanctions'))
        ? ['sanctions: no name is known to compare']
        : []),
      ...failed.map(({ path = [], message }) => `${path.slice(2).join('.')}: ${message}`),
    ],
  };
}

const partyText = ({ list, entryName, effect }: ListedParty): string => `${entryName} on ${list}, ${effect.toLowerCase()}`;
/** Selects the records of optional lists; nothing without a list. */
const debarmentWith = (lists: readonly string[]): string =>
  lists.length === 0
    ? ''
    : `debarment(include: [${lists.join(', ')}]) { records { source sanctionType sanctioningBody status } agreements { situation body } }`;

/** Returns a finding for each record in force of an optional list. Those of CEIS and CNEP are reasons of the verdict. */
const listFindings = (debarment: Debarment | null): readonly string[] =>
  (debarment?.records ?? [])
    .filter(({ source, status }) => status === 'ACTIVE' && DEBARMENT_LISTS.some((list) => list === source))
    .map(({ source, sanctionType, sanctioningBody }) => `debarment.listed: ${source}, ${sanctionType} by ${sanctioningBody}`);

const agreementsOf = (debarment: Debarment | null): readonly string[] =>
  (debarment?.agreements ?? []).map(({ situation, body }) => `leniency agreement with ${body} (${situation})`);

function table(verdicts: readonly Verdict[]): string {
  const rows = verdicts.map(({ country, identifier, company_name, registration_status, risk_level, findings, not_checked }) => [
    `${country} ${identifier}`,
    company_name ?? '–',
    registration_status ?? '–',
    risk_level ?? '–',
    not_checked.length === 0 ? 'yes' : 'IN PART',
    String(findings.length),
  ]);
  const details = verdicts.flatMap(({ identifier, findings, information = [], not_checked }) => [
    ...findings.map((text) => `${identifier}  ${text}\n`),
    ...information.map((text) => `${identifier}  information: ${text}\n`),
    ...not_checked.map((text) => `${identifier}  not checked: ${text}\n`),
  ]);
  return `${tableText(['company', 'name', 'registration', 'risk', 'checked', 'findings'], rows)}${details.length > 0 ? `\n${details.join('')}` : ''}`;
}
