import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { commandIn, ROOT } from './command.ts';

const folder = await mkdtemp(path.join(import.meta.dirname, 'generated-'));
afterAll(() => rm(folder, { recursive: true, force: true }));

/** What a Relay application asks: a connection that grows page by page, an object by its global id, and a page of a company's orders. */
const DOCUMENTS = `
graphql\`
  query documentsMonitorsQuery {
    ...documents_monitors
  }
\`;
graphql\`
  fragment documents_monitors on Query @argumentDefinitions(count: { type: "Int", defaultValue: 10 }, cursor: { type: "String" })
    @refetchable(queryName: "documentsMonitorsPaginationQuery") {
    monitors(first: $count, after: $cursor) @connection(key: "documents_monitors") {
      edges { node { id status } }
    }
  }
\`;
graphql\`
  fragment documents_company on Company @refetchable(queryName: "documentsCompanyRefetchQuery") {
    name
    kyb { status }
  }
\`;
graphql\`
  query documentsOrdersQuery($identifier: String!) {
    company(identifier: $identifier) {
      ...documents_company
      tenders(first: 5) @connection(key: "documents_tenders") { edges { node { code name } } }
    }
  }
\`;
graphql\`
  subscription documentsChangedSubscription($after: String) {
    companyChanged(after: $after) { id cursor company { id } }
  }
\`;
`;

describe('relay-compiler', () => {
  it('compiles connections, refetchable fragments and subscriptions, which its validation accepts', async () => {
    await mkdir(`${folder}/src`);
    await writeFile(`${folder}/src/documents.js`, `import { graphql } from 'relay-runtime';\n${DOCUMENTS}`);
    await writeFile(
      `${folder}/relay.config.json`,
      JSON.stringify({ src: './src', schema: path.relative(folder, `${ROOT}/schema/schema.graphql`), language: 'javascript' }),
    );
    const { status, stdout, stderr } = commandIn(folder, 'relay-compiler', 'relay.config.json');
    expect({ status, printed: stdout + stderr }).toEqual({ status: 0, printed: expect.stringMatching(/\[INFO\] Done/) });
    expect(stdout + stderr).not.toMatch(/ERROR|WARN/);
  });
});
