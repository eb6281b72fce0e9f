import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { generate } from '@graphql-codegen/cli';
import { afterAll, describe, expect, it } from 'vitest';
import { compile, ROOT } from './command.ts';
import { query } from './monitor.ts';
import { DEBARRED } from './portfolio.ts';

const folder = await mkdtemp(path.join(import.meta.dirname, 'generated-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A program of a customer: the types of its operation follow from the schema. */
const PROGRAM = `
import { graphql } from './graphql/index.js';
import type { LevelQuery } from './graphql/graphql.js';

const query = graphql(\`query Level($identifier: String!) { company(identifier: $identifier) { id compliance { riskLevel } } }\`);
type Level = NonNullable<NonNullable<LevelQuery['company']>['compliance']>['riskLevel'];
const level: Level = 'MEDIUM';
// @ts-expect-error risk levels are a closed set of words
const wrong: Level = 'medium';
export { level, wrong, query };
`;
describe('the client preset of graphql-codegen', () => {
  it('generates types for the shipped operations and for a program, which compiles', async () => {
    await writeFile(`${folder}/program.ts`, PROGRAM);
    await generate(
      {
        schema: `${ROOT}/schema/schema.graphql`,
        documents: [`${ROOT}/schema/operations/*.graphql`, `${folder}/program.ts`],
        generates: {
          [`${folder}/graphql/`]: {
            preset: 'client',
            presetConfig: { fragmentMasking: false, persistedDocuments: true },
            config: { enumsAsTypes: true, useTypeImports: true },
          },
        },
        silent: true,
      },
      true,
    );
    const options = ['--module', 'esnext', '--moduleResolution', 'bundler', '--skipLibCheck'];
    expect(compile(`${folder}/program.ts`, ...options)).toMatchObject({ status: 0, stdout: '' });
  });

  it('generates a manifest of documents that the service answers', async () => {
    const manifest: Record<string, string> = JSON.parse(await readFile(`${folder}/graphql/persisted-documents.json`, 'utf8'));
    const document = Object.values(manifest).find((text) => text.startsWith('query Level('));
    expect(Object.keys(manifest).length).toBeGreaterThan(5);
    expect(await query(document ?? '', { identifier: DEBARRED })).toMatchObject({ company: { compliance: { riskLevel: 'MEDIUM' } } });
  });
});
