import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { settings } from './src/config.ts';
import { buildSchema } from './src/graphql/schema.ts';
import { modules } from './src/modules/index.ts';
import { coreRoutes } from './src/rest/account-routes.ts';
import { openApi } from './src/rest/openapi.ts';

/**
 * Generates the files that follow from the module list: the GraphQL schema, the API description of `/v1` and the example environment.
 * With `--check` it writes nothing and fails when a committed file is stale.
 */
const files: Readonly<Record<string, string>> = {
  'schema/schema.graphql': `${printSchema(lexicographicSortSchema(buildSchema(modules.flatMap(({ resolvers }) => resolvers))))}\n`,
  'schema/openapi.json': `${JSON.stringify(openApi([...coreRoutes, ...modules.flatMap(({ routes }) => routes)]), null, 2)}\n`,
  '.env.example': settings()
    .map(({ name, description, fallback }) => `# ${description}\n# ${name}=${fallback}\n`)
    .join('\n'),
};

const read = (file: string): string | null => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return null;
  }
};

const stale = Object.entries(files).filter(([file, text]) => read(path.join(import.meta.dirname, file)) !== text);
if (process.argv.includes('--check')) {
  for (const [file] of stale) console.error(`${file} is stale: run npm run codegen`);
  process.exitCode = stale.length > 0 ? 1 : 0;
} else {
  mkdirSync(path.join(import.meta.dirname, 'schema'), { recursive: true });
  for (const [file, text] of stale) writeFileSync(path.join(import.meta.dirname, file), text);
  console.log(stale.length > 0 ? `wrote ${stale.map(([file]) => file).join(', ')}` : 'nothing changed');
}
