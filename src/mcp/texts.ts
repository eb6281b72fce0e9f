import { TOOLS } from './tools.ts';

/** A text about the service, for agents and for people. */
export interface ServedText {
  /** Path over HTTP. As a resource of MCP the text is `quipu:/` and this path. */
  readonly path: string;
  readonly title: string;
  readonly content: string;
}

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  'schema.graphql': 'GraphQL schema',
  'openapi.json': 'OpenAPI description of /v1',
  'asyncapi.json': 'AsyncAPI description of webhooks and subscriptions',
};

/** Pages of the docs that explain answers and requests, the most useful ones first. */
const PAGES = [
  'glossary',
  'graphql',
  'api-rest',
  'rest-conventions',
  'mcp',
  'usage-and-limits',
  'monitoring',
  'screening',
  'candidates',
  'evidence',
  'data-sources',
];

/**
 * Returns the texts for agents: those of the lists above that the service can serve. @param read reads a served file by its name; null if
 * there is none
 */
export function textsOf(read: (name: string) => string | null): readonly ServedText[] {
  return [...Object.keys(DESCRIPTIONS), ...PAGES.map((page) => `docs/${page}.md`)].flatMap((name) => {
    const content = read(name);
    return content === null ? [] : [{ path: `/${name}`, title: DESCRIPTIONS[name] ?? /^# (.*)/.exec(content)?.[1] ?? name, content }];
  });
}

/** Returns the text of `/llms.txt` (https://llmstxt.org): a description of the service, and links to its APIs. */
export const llmsText = (texts: readonly ServedText[]): string => `# Quipu

> Checks companies of Brazil, Chile and Colombia against public registries and lists: registration, owners, debarment, sanctions, forced labour, tax standing, public tenders. Watches companies and reports their changes.

Every call needs an API key in the header X-API-Key. Answers say how old they are and which sources failed.

## APIs

- GraphQL: POST /graphql
- REST: POST /v1/{module}
- MCP: POST /mcp (streamable HTTP), tools ${TOOLS.map(({ name }) => name).join(', ')}

## Descriptions

${texts.map(({ path, title }) => `- [${title}](${path})\n`).join('')}`;
