import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { dashboardOperations } from './dashboard/codegen.ts';
import { buildSchema } from './src/graphql/schema.ts';
import { modules, resolvers } from './src/modules/index.ts';
import { coreRoutes } from './src/rest/account-routes.ts';
import { staleClientFiles } from './test/clients/client-inputs.ts';
import { fingerprints, workTree } from './test/full/fingerprints.ts';
import { promisesPage, testedPromises } from './test/full/page.ts';
import { asyncApi } from './tools/asyncapi.ts';
import { docTables } from './tools/doc-tables.ts';
import { clientCodes } from './tools/error-codes.ts';
import { everythingOperations } from './tools/everything.ts';
import { examplesOf } from './tools/examples.ts';
import { withMarkedParts } from './tools/marked-parts.ts';
import { openApi } from './tools/openapi.ts';
import { optionalListFiles } from './tools/optional-lists.ts';
import { exampleEnvironment } from './tools/settings.ts';

const read = (file: string): string | null => {
  try {
    return readFileSync(path.join(import.meta.dirname, file), 'utf8');
  } catch {
    return null;
  }
};

const routes = [...coreRoutes, ...modules.flatMap((module) => module.routes)];
const sources = [...new Set(modules.flatMap((module) => module.sources))];

const schema = lexicographicSortSchema(buildSchema(resolvers));

const webhooks = modules.flatMap(({ webhooks = [] }) => webhooks);
const operations = globSync('schema/operations/*.graphql', { cwd: import.meta.dirname })
  .sort()
  .map((file) => read(file) ?? '');
const eventExamples = new Map(['docs/monitoring.md', 'docs/screening.md'].flatMap((page) => [...examplesOf(read(page) ?? '')]));

/**
 * Generates the files that follow from the lists of modules and of optional lists: the GraphQL schema, the API description of `/v1`, that of events, the operations that select
 * everything, the example environment, tables of the docs with the results of the promises, the types of the dashboard, and the files of
 * clients/typescript, whose generator is installed in test/clients, with the error codes of the service. With `--check` it writes nothing and fails when a committed file is stale.
 */
const files: Readonly<Record<string, string>> = {
  'schema/schema.graphql': `${printSchema(schema)}\n`,
  ...everythingOperations(schema),
  ...optionalListFiles,
  'dashboard/api/operations.ts': dashboardOperations(schema, read('dashboard/api/operations.graphql') ?? ''),
  'clients/typescript/src/generated/codes.ts': clientCodes,
  'schema/openapi.json': `${JSON.stringify(openApi(routes, examplesOf(read('docs/api-rest.md') ?? '')), null, 2)}\n`,
  'schema/asyncapi.json': `${JSON.stringify(asyncApi(schema, webhooks, operations, eventExamples), null, 2)}\n`,
  '.env.example': exampleEnvironment(sources),
  'docs/promises.md': promisesPage(
    read('docs/promises.md') ?? '',
    testedPromises(),
    JSON.parse(read('test/full/results.json') ?? '{}'),
    fingerprints(workTree),
  ),
  ...Object.fromEntries(
    Object.entries(docTables(sources)).map(([page, tables]) => [page, withMarkedParts(page, read(page) ?? '', tables)]),
  ),
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
