import graphqlPlugin, { configs, parser } from '@graphql-eslint/eslint-plugin';
import { ESLint } from 'eslint';
import { describe, expect, it } from 'vitest';
import { ROOT } from './command.ts';

const languageOptions = {
  parser,
  parserOptions: { graphQLConfig: { schema: `${ROOT}/schema/schema.graphql`, documents: `${ROOT}/schema/operations/*.graphql` } },
};
const plugins = { '@graphql-eslint': graphqlPlugin };

const SCHEMA_RULES = {
  ...configs['flat/schema-recommended'].rules,
  // Answers of registries and pages of lists are values, not objects with an identity.
  '@graphql-eslint/strict-id-in-types': 'off',
  '@graphql-eslint/relay-connection-types': 'error',
  '@graphql-eslint/relay-page-info': 'error',
  // Lists are read forwards only.
  '@graphql-eslint/relay-arguments': ['error', { includeBoth: false }],
  // Lists that are complete are plain lists; items of a connection may have no global id.
  '@graphql-eslint/relay-edge-types': ['error', { withEdgeSuffix: true, shouldImplementNode: false, listTypeCanWrapOnlyEdgeType: false }],
};

const OPERATION_RULES = {
  ...configs['flat/operations-recommended'].rules,
  '@graphql-eslint/selection-set-depth': ['error', { maxDepth: 15 }], // the limit of the service
};

/** Named after the verb, not after its type Change. */
const CHANGED = 'Field "changedFields" starts with';

/** Findings of rules in files of `schema`, one sentence each. */
async function findings(files: string, rules: object): Promise<string[]> {
  const eslint = new ESLint({
    cwd: ROOT,
    overrideConfigFile: true,
    overrideConfig: { files: ['schema/**/*.graphql'], plugins, languageOptions, rules } as never,
  });
  const results = await eslint.lintFiles(files);
  return results.flatMap(({ filePath, messages }) =>
    messages
      .filter(({ message }) => !message.includes(CHANGED))
      .map(({ line, ruleId, message }) => `${filePath.slice(ROOT.length + 1)}:${line} ${ruleId}: ${message}`),
  );
}

describe('@graphql-eslint', () => {
  it('has no finding in the schema: the rules schema-recommended and those of Relay connections', async () => {
    expect(await findings('schema/schema.graphql', SCHEMA_RULES)).toEqual([]);
  });

  it('has no finding in the operations that are shipped: the rules operations-recommended', async () => {
    expect(await findings('schema/operations/*.graphql', OPERATION_RULES)).toEqual([]);
  });
});
