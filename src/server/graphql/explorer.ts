import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { prefersHtml } from '../content-negotiation.ts';

/**
 * The explorer page: GraphiQL, served from installed packages so that it works offline. The page needs no key; its queries do.
 * A link may preset a key and a company in the URL fragment (`#key=…&company=…`), which browsers do not send to servers.
 */
export const EXPLORER_HTML = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Quipu explorer</title>
<link rel="stylesheet" href="/graphql/assets/graphiql.css">
<style>body { margin: 0 } #graphiql { height: 100vh }</style>
</head>
<body>
<div id="graphiql">Loading…</div>
<script src="/graphql/assets/react.js"></script>
<script src="/graphql/assets/react-dom.js"></script>
<script src="/graphql/assets/graphiql.js"></script>
<script src="/graphql/assets/explorer.js"></script>
</body>
</html>
`;

const BOOT = `
const given = new URLSearchParams(location.hash.slice(1));
const key = given.get('key') ?? '';
history.replaceState(null, '', location.pathname);
const headers = JSON.stringify({ 'X-API-Key': key }, null, 2);
const query = \`# Your API key goes under "Headers" below.
# Ctrl-Enter runs the query.
query Company {
  company(identifier: "\${given.get('company') ?? '00.000.000/0001-91'}") {
    name
    formattedIdentifier
    compliance {
      riskLevel
      completeness
      sourcesFailed
      riskReasons { message }
    }
    kyb {
      status
      freshness { fetchedAt cached }
    }
  }
}\`;
ReactDOM.createRoot(document.getElementById('graphiql')).render(
  React.createElement(GraphiQL, {
    fetcher: GraphiQL.createFetcher({ url: '/graphql', headers: key ? { 'X-API-Key': key } : {} }),
    defaultQuery: query,
    defaultHeaders: headers,
    isHeadersEditorEnabled: true,
  }),
);
`;

/** Asset → package, file and content type. */
const ASSETS: Readonly<Record<string, readonly [owner: string, file: string, type: string]>> = {
  'react.js': ['react', 'umd/react.production.min.js', 'text/javascript'],
  'react-dom.js': ['react-dom', 'umd/react-dom.production.min.js', 'text/javascript'],
  'graphiql.js': ['graphiql', 'graphiql.min.js', 'text/javascript'],
  'graphiql.css': ['graphiql', 'graphiql.min.css', 'text/css'],
};

/** Folder of an installed package. Browser builds are not in its exports, so they cannot be resolved by name. */
function packageFolder(name: string): string {
  const entry = createRequire(import.meta.url).resolve(name);
  const home = path.join('node_modules', name);
  return entry.slice(0, entry.lastIndexOf(home) + home.length);
}

/** Returns true for a browser that opens the page, false for a program that sends a query. */
export const wantsExplorer = (request: FastifyRequest): boolean =>
  request.method === 'GET' && prefersHtml(request) && !/[?&]query=/.test(request.url);

/** Mounts the page's scripts and styles under `<base>/assets/`. */
export function mountExplorerAssets(server: FastifyInstance, base: string): void {
  const cached = 'public, max-age=3600';
  const bytes = new Map<string, Buffer>(); // read once: clients that do not read their answers must not cost a copy each
  for (const [name, [owner, file, type]] of Object.entries(ASSETS)) {
    server.get(`${base}/assets/${name}`, (_, reply) => {
      const content = bytes.get(name) ?? readFileSync(path.join(packageFolder(owner), file));
      bytes.set(name, content);
      return reply.header('cache-control', cached).type(`${type}; charset=utf-8`).send(content);
    });
  }
  server.get(`${base}/assets/explorer.js`, (_, reply) => reply.type('text/javascript; charset=utf-8').send(BOOT));
}
