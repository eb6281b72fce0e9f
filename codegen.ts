import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isObjectType, lexicographicSortSchema, printSchema } from 'graphql';
import { dashboardOperations } from './dashboard/codegen.ts';
import { examplesOf, openApi } from './openapi.ts';
import { settings } from './src/config.ts';
import { MODULE_DESCRIPTIONS, TIME_BUDGETS } from './src/domain/catalogue.ts';
import { DAY_MS, HOUR_MS, SECOND_MS } from './src/domain/time.ts';
import { buildSchema } from './src/graphql/schema.ts';
import { modules } from './src/modules/index.ts';
import { coreRoutes } from './src/rest/account-routes.ts';
import { isRegistrySource } from './src/sources/registry/registry.ts';
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
const percent = (share: number): string => `${Math.round(share * 100)} %`;
const code = (text: string): string => (text ? `\`${text}\`` : '');

const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |\n`).join('');

/** The generated tables of the docs. A page has the table `name` between the lines `<!-- name -->` and `<!-- /name -->`. */
const TABLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'docs/configuration.md': {
    modules: table(
      ['Module', 'Grants'],
      Object.entries(MODULE_DESCRIPTIONS).map(([name, description]) => [code(name), description]),
    ),
    settings: table(
      ['Setting', 'Default', 'Meaning'],
      settings().map(({ name, description, fallback }) => [code(name), code(fallback), description]),
    ),
  },
  'docs/data-sources.md': {
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
      ['Source', 'Live addresses, and the settings that replace them', 'Time budget', 'Attribution'],
      sources.map(({ name, addresses, attribution }) => [
        code(name),
        Object.entries(addresses)
          .map(([setting, { live }]) => `${code(setting)}: ${code(live) || 'none'}`)
          .join('<br>'),
        name in TIME_BUDGETS ? `${TIME_BUDGETS[name as keyof typeof TIME_BUDGETS] / SECOND_MS} s` : '',
        attribution,
      ]),
    ),
  },
};

/** @throws Error for a page without the markers of a table */
function withTables(page: string, tables: Readonly<Record<string, string>>): string {
  return Object.entries(tables).reduce((text, [name, rows]) => {
    const [before, rest] = text.split(`<!-- ${name} -->\n`);
    const after = rest?.split(`<!-- /${name} -->`)[1];
    if (before === undefined || after === undefined) throw new Error(`${page} has no markers for the table ${name}`);
    return `${before}<!-- ${name} -->\n${rows}<!-- /${name} -->${after}`;
  }, read(page) ?? '');
}

const schema = lexicographicSortSchema(buildSchema(modules.flatMap(({ resolvers }) => resolvers)));

/**
 * Types without an `id`: answers of registries, pages of lists, results of mutations. To a normalised cache they are parts of the object
 * that has them.
 */
const parts = Object.values(schema.getTypeMap())
  .filter((type) => isObjectType(type) && !type.name.startsWith('__') && !type.getFields().id)
  .map(({ name }) => name)
  .filter((name) => !['Query', 'Mutation', 'Subscription'].includes(name));

/** The only interface of the schema. */
const nodes = Object.values(schema.getTypeMap()).filter((type) => isObjectType(type) && type.getInterfaces().length > 0);

const apolloFile = `// Generated. For Apollo Client: new InMemoryCache({ typePolicies, possibleTypes }).

/** Objects without an id belong to the object around them: answers with other fields of them are merged. */
export const typePolicies = {
${parts.map((name) => `  ${name}: { keyFields: false, merge: true },\n`).join('')}};

export const possibleTypes = {
  Node: [${nodes.map(({ name }) => `'${name}'`).join(', ')}],
};
`;

const graphcacheFile = `// Generated. For urql's Graphcache: cacheExchange({ keys }).

/** Objects without an id belong to the object around them. */
export const keys = {
${parts.map((name) => `  ${name}: () => null,\n`).join('')}};
`;

/**
 * Generates the files that follow from the list of modules: the GraphQL schema, the API description of `/v1`, the example environment,
 * tables of the docs with the results of the promises, and the types of the dashboard. With `--check` it writes nothing and fails when a
 * committed file is stale.
 */
const files: Readonly<Record<string, string>> = {
  'schema/schema.graphql': `${printSchema(schema)}\n`,
  'schema/clients/apollo.js': apolloFile,
  'schema/clients/graphcache.js': graphcacheFile,
  'dashboard/api/operations.ts': dashboardOperations(schema, read('dashboard/api/operations.graphql') ?? ''),
  'schema/openapi.json': `${JSON.stringify(openApi(routes, examplesOf(read('docs/api-rest.md') ?? '')), null, 2)}\n`,
  '.env.example': [
    '# docker-compose.yml needs these two. Letters and digits only: openssl rand -hex 32\n# POSTGRES_PASSWORD=\n# QUIPU_KEY_SECRET=\n',
    ...settings().map(({ name, description, fallback }) => `# ${description}\n# ${name}=${fallback}\n`),
  ].join('\n'),
  'docs/promises.md': promisesPage(read('docs/promises.md') ?? '', testedPromises(), JSON.parse(read('test/full/results.json') ?? '{}')),
  ...Object.fromEntries(Object.entries(TABLES).map(([page, tables]) => [page, withTables(page, tables)])),
};

const stale = Object.entries(files).filter(([file, text]) => read(file) !== text);
if (process.argv.includes('--check')) {
  for (const [file] of stale) console.error(`${file} is stale: run npm run codegen`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  mkdirSync(path.join(import.meta.dirname, 'schema/clients'), { recursive: true });
  for (const [file, text] of stale) writeFileSync(path.join(import.meta.dirname, file), text);
  console.log(stale.length > 0 ? `wrote ${stale.map(([file]) => file).join(', ')}` : 'nothing changed');
}
