import type { RunningSandbox } from '../sandbox/index.ts';
import { type Config, settings } from './config.ts';
import { describeLoaded, type LoadedLists } from './jobs/sync-lists.ts';

interface Started {
  readonly config: Config;
  /** Base URL of the server. */
  readonly url: string;
  /** Base URL of `/metrics`; null if it is off. */
  readonly metricsUrl: string | null;
  /** The demo key of the sandbox; null if it cannot be shown. */
  readonly demoKey: string | null;
  /** Number of lists and copies that have a version. */
  readonly lists: LoadedLists;
  /** Sentence about a copy of a registry that should answer and does not; null for none. */
  readonly copyNote: string | null;
  /** The sandbox; null in live mode. */
  readonly sandbox: Pick<RunningSandbox, 'url' | 'examples'> | null;
}

/** Returns the text printed at the start: the link to the dashboard, addresses, and in the sandbox a key and one call to copy. */
export function banner({ config, url, metricsUrl, demoKey, lists, copyNote, sandbox }: Started): string {
  const lines = [
    '',
    `Dashboard: ${url}/dashboard${demoKey ? `#key=${demoKey}` : ''}`,
    '',
    `Quipu answers at ${url}   (REST /v1, GraphQL and its explorer at /graphql)`,
    sandbox ? `Sources: sandbox, a made-up world at ${sandbox.url}` : 'Sources: live',
    `Data: ${describeLoaded(lists)}`,
    ...(copyNote ? [copyNote] : []),
    ...(metricsUrl ? [`Metrics: ${metricsUrl}/metrics`] : []),
    ...[...config.givenAddresses].map(([name, address]) => `  ${name}: ${address ? 'set' : 'none'}`),
    ...(sandbox
      ? examples(url, demoKey, sandbox.examples.debarred)
      : ['Create a key: npm run quipu -- keys create --name acme --modules all']),
    '',
  ];
  return `${lines.join('\n')}\n`;
}

function examples(url: string, demoKey: string | null, cnpj: string): string[] {
  const header = demoKey ? `-H 'X-API-Key: ${demoKey}'` : '-H "X-API-Key: $QUIPU_KEY"';
  return [
    demoKey
      ? `Demo key: ${demoKey}`
      : 'The demo key is revoked, or it is stored in another data folder. Create a key: npm run quipu -- keys create --name me --modules all',
    '',
    'REST:',
    `curl -s ${url}/v1/compliance-br ${header} -H 'content-type: application/json' -d '{"cnpj":"${cnpj}"}'`,
    '',
    'Explorer:',
    `${url}/graphql${demoKey ? `#key=${demoKey}&company=${cnpj}` : ''}`,
  ];
}

/** Returns the text of `npm start -- --help`. */
export function helpText(): string {
  const rows = settings().map(
    ({ name, description, fallback }) => `  ${name.padEnd(28)} ${description}${fallback ? ` [${fallback}]` : ''}`,
  );
  return `Quipu: the company graph of Latin America.

Usage: npm start            run the service (embedded Postgres and sandbox sources by default)
       npm start -- --workers 2  several server processes behind the port, for several cores
       npm start -- --help  this text
       npm run quipu -- …   other commands; see npm run quipu -- --help

Settings, from the environment:
${rows.join('\n')}
`;
}
