import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { asyncApi } from './asyncapi.ts';
import { scalingTables } from './bench/capacity/command.ts';
import { dashboardOperations } from './dashboard/codegen.ts';
import { everythingOperation } from './everything.ts';
import { examplesOf, openApi } from './openapi.ts';
import { settings } from './src/config.ts';
import { MODULE_DESCRIPTIONS, TIME_BUDGETS } from './src/domain/catalogue.ts';
import { RETRYABLE } from './src/domain/errors.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from './src/domain/time.ts';
import { buildSchema } from './src/graphql/schema.ts';
import { TOOLS } from './src/mcp/tools.ts';
import { modules } from './src/modules/index.ts';
import { coreRoutes } from './src/rest/account-routes.ts';
import { isRegistrySource } from './src/sources/registry/registry.ts';
import { staleClientFiles } from './test/clients/client-inputs.ts';
import { fingerprints, workTree } from './test/full/fingerprints.ts';
import { promisesPage, testedPromises } from './test/full/page.ts';

const read = (file: string): string | null => {
  try {
    return readFileSync(path.join(import.meta.dirname, file), 'utf8');
  } catch {
    return null;
  }
};

const routes = [...coreRoutes, ...modules.flatMap((module) => module.routes)];
const sources = [...new Set(modules.flatMap((module) => module.sources))];

/** Settings of the sources; their page lists them. */
const namesOfSources = new Set(
  sources.flatMap(({ addresses, settings: given = {} }) => [...Object.keys(addresses), ...Object.keys(given)]),
);
const ownSettings = settings().filter(({ name }) => !namesOfSources.has(name));
const percent = (share: number): string => `${Math.round(share * 100)} %`;
const code = (text: string): string => (text ? `\`${text}\`` : '');

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');

const settingsTable = (all: ReturnType<typeof settings>): string =>
  table(
    ['Setting', 'Default', 'Meaning'],
    all.map(({ name, description, fallback }) => [code(name), code(fallback), description]),
  );

const codes = Object.entries(RETRYABLE);
const retryableCodes = codes.flatMap(([name, isRetryable]) => (isRetryable ? [name] : []));

/** The generated tables of the docs. A page has the table `name` between the lines `<!-- name -->` and `<!-- /name -->`. */
const TABLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'docs/configuration.md': {
    settings: settingsTable(ownSettings),
  },
  'docs/api-rest.md': {
    modules: table(
      ['Module', 'Grants'],
      Object.entries(MODULE_DESCRIPTIONS).map(([name, description]) => [code(name), description]),
    ),
  },
  'docs/graphql.md': { retryable: `${retryableCodes.map(code).join(', ')}\n` },
  'docs/mcp.md': {
    tools: table(
      ['Tool', 'Arguments', 'Does'],
      TOOLS.map(({ name, input, description }) => [code(name), Object.keys(input.shape).map(code).join(', '), description]),
    ),
  },
  'docs/scaling.md': Object.fromEntries(Object.entries(scalingTables()).map(([name, { head, rows }]) => [name, table(head, rows)])),
  'docs/data-sources.md': {
    settings: settingsTable(settings().filter(({ name }) => namesOfSources.has(name))),
    lists: table(
      ['List', 'Sync interval', 'Fails after', 'Minimum rows', 'Maximum shrink', 'Maximum growth'],
      sources
        .filter(isRegistrySource)
        .map(({ spec: { name, everyMs, staleAfterMs, guard } }) => [
          name,
          `${everyMs / HOUR_MS} h`,
          `${staleAfterMs / DAY_MS} days`,
          `${guard.minRows}`,
          percent(guard.maxShrink),
          percent(guard.maxGrowth),
        ]),
    ),
    sources: table(
      ['Source', 'Time budget', 'Attribution'],
      sources.map(({ name, attribution }) => [
        code(name),
        name in TIME_BUDGETS ? `${TIME_BUDGETS[name as keyof typeof TIME_BUDGETS] / SECOND_MS} s` : '',
        attribution,
      ]),
    ),
  },
};

const passingCodes = `[\n${retryableCodes.map((name) => `  '${name}',\n`).join('')}]`;

/** @throws Error for a program without the list */
function withPassingCodes(file: string): string {
  const text = read(file) ?? '';
  const list = /(?<=const TEMPORARY_CODES = )\[[^\]]*\]/;
  if (!list.test(text)) throw new Error(`${file} has no list TEMPORARY_CODES`);
  return text.replace(list, passingCodes);
}

/** @throws Error for a page without the markers of a table */
function withTables(page: string, tables: Readonly<Record<string, string>>): string {
  return Object.entries(tables).reduce((text, [name, rows]) => {
    const [before, rest] = text.split(`<!-- ${name} -->\n`);
    const after = rest?.split(`<!-- /${name} -->`)[1];
    if (before === undefined || after === undefined) throw new Error(`${page} has no markers for the table ${name}`);
    return `${before}<!-- ${name} -->\n${rows}<!-- /${name} -->${after}`;
  }, read(page) ?? '');
}

const clientCodes = `// Generated by npm run codegen from src/domain/errors.ts.

/** The error codes of the service. */
export type ServiceCode =
${codes.map(([name]) => `  | '${name}'`).join('\n')};

/** Those after which the same request, or a subscription after its last cursor, may succeed later without a change. */
export const RETRYABLE_CODES: ReadonlySet<string> = new Set<ServiceCode>(${passingCodes});
`;

const schema = lexicographicSortSchema(buildSchema(modules.flatMap(({ resolvers }) => resolvers)));

const webhooks = modules.flatMap(({ webhooks = [] }) => webhooks);
const operations = globSync('schema/operations/*.graphql', { cwd: import.meta.dirname })
  .sort()
  .map((file) => read(file) ?? '');
const eventExamples = new Map(['docs/monitoring.md', 'docs/screening.md'].flatMap((page) => [...examplesOf(read(page) ?? '')]));

/**
 * Generates the files that follow from the list of modules: the GraphQL schema, the API description of `/v1`, that of events, the operation that selects
 * everything, the example environment, tables of the docs with the results of the promises, the types of the dashboard, and the files of
 * clients/typescript, whose generator is installed in test/clients. The codes of errors that pass are written into each client. With `--check` it writes nothing and fails when a committed file is stale.
 */
const files: Readonly<Record<string, string>> = {
  'schema/schema.graphql': `${printSchema(schema)}\n`,
  'schema/operations/everything.graphql': everythingOperation(schema),
  'dashboard/api/operations.ts': dashboardOperations(schema, read('dashboard/api/operations.graphql') ?? ''),
  'clients/typescript/src/generated/codes.ts': clientCodes,
  'clients/resume.js': withPassingCodes('clients/resume.js'),
  'schema/openapi.json': `${JSON.stringify(openApi(routes, examplesOf(read('docs/api-rest.md') ?? '')), null, 2)}\n`,
  'schema/asyncapi.json': `${JSON.stringify(asyncApi(schema, webhooks, operations, eventExamples), null, 2)}\n`,
  '.env.example': [
    '# docker-compose.yml needs these two. Letters and digits only: openssl rand -hex 32\n# POSTGRES_PASSWORD=\n# QUIPU_KEY_SECRET=\n',
    ...ownSettings.map(({ name, description, fallback }) => `# ${description}\n# ${name}=${fallback}\n`),
    '# The settings of the sources are in docs/data-sources.md.\n',
  ].join('\n'),
  'docs/promises.md': promisesPage(
    read('docs/promises.md') ?? '',
    testedPromises(),
    JSON.parse(read('test/full/results.json') ?? '{}'),
    fingerprints(workTree),
  ),
  ...Object.fromEntries(Object.entries(TABLES).map(([page, tables]) => [page, withTables(page, tables)])),
};

const stale = Object.entries(files).filter(([file, text]) => read(file) !== text);
if (process.argv.includes('--check')) {
  const names = [...stale.map(([file]) => file), ...staleClientFiles()];
  for (const file of names) console.error(`${file} is stale: run npm run codegen`);
  process.exitCode = names.length > 0 ? 1 : 0;
} else {
  for (const [file, text] of stale) writeFileSync(path.join(import.meta.dirname, file), text);
  const generated = generateClient(staleClientFiles());
  const written = [...stale.map(([file]) => file), ...generated];
  console.log(written.length > 0 ? `wrote ${written.join(', ')}` : 'nothing changed');
}

/** Generates the stale files of the client and returns their paths. Without its generator, which is not a dependency of the service, it names them. */
function generateClient(names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  if (!existsSync(path.join(import.meta.dirname, 'test/clients/node_modules/@graphql-codegen/cli'))) {
    console.error(
      `Not written: ${names.join(', ')}. Their generator is not installed: run npm ci in test/clients, then npm run codegen again.`,
    );
    process.exitCode = 1;
    return [];
  }
  const { status } = spawnSync(process.execPath, ['test/clients/generate.ts'], { cwd: import.meta.dirname, stdio: 'inherit' });
  if (status !== 0) process.exitCode = 1;
  return status === 0 ? names : [];
}
