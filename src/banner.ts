import { type Config, settings } from './config.ts';
import type { RunningSandbox } from './sandbox/index.ts';

interface Started {
  readonly config: Config;
  /** Base URL of the server. */
  readonly url: string;
  /** Base URL of `/metrics`; null when it is off. */
  readonly metricsUrl: string | null;
  /** The demo key of the sandbox; null when it cannot be shown. */
  readonly demoKey: string | null;
  /** Null in live mode. */
  readonly sandbox: Pick<RunningSandbox, 'url' | 'examples'> | null;
}

/** Text printed at start: addresses, and in the sandbox examples to copy. */
export function banner({ config, url, metricsUrl, demoKey, sandbox }: Started): string {
  const lines = [
    '',
    `Quipu answers at ${url}   (REST /v1, GraphQL and its explorer at /graphql)`,
    `Dashboard: ${url}/dashboard${demoKey ? `#key=${demoKey}` : ''}`,
    sandbox ? `Sources: sandbox, a made-up world at ${sandbox.url}` : 'Sources: live',
    ...(metricsUrl ? [`Metrics: ${metricsUrl}/metrics`] : []),
    ...[...config.givenAddresses].map(([name, address]) => `  ${name}: ${address ? 'set' : 'none'}`),
    ...(sandbox ? examples(url, demoKey, sandbox) : ['Create a key: npm run quipu -- keys create --name acme --modules all']),
    '',
  ];
  return `${lines.join('\n')}\n`;
}

function examples(url: string, demoKey: string | null, sandbox: NonNullable<Started['sandbox']>): string[] {
  const cnpj = sandbox.examples.debarred;
  const header = demoKey ? `-H 'X-API-Key: ${demoKey}'` : '-H "X-API-Key: $QUIPU_KEY"';
  const query = `{ company(identifier: \\"${cnpj}\\") { name compliance { riskLevel completeness sourcesFailed } debarment { isDebarred } } }`;
  return [
    demoKey
      ? `Demo key: ${demoKey}`
      : 'The demo key is revoked, or it is stored in another data folder. Create a key: npm run quipu -- keys create --name me --modules all',
    '',
    'REST:',
    `curl -s ${url}/v1/compliance-br ${header} -H 'content-type: application/json' -d '{"cnpj":"${cnpj}"}'`,
    '',
    'GraphQL:',
    `curl -s ${url}/graphql ${header} -H 'content-type: application/json' -d '{"query":"${query}"}'`,
    '',
    'Explorer:',
    `${url}/graphql${demoKey ? `#key=${demoKey}&company=${cnpj}` : ''}`,
    '',
    'Watch companies change: a stream of events (Ctrl-C ends it); in another shell, a monitor and the requests to its webhook:',
    `curl -sN ${url}/graphql ${header} -H 'accept: text/event-stream' -H 'content-type: application/json' -d '{"query":"${CHANGES}"}'`,
    `curl -s ${url}/v1/monitor/subscriptions ${header} -H 'content-type: application/json' -d '${JSON.stringify(watching(sandbox))}'`,
    `curl -s ${webhookAddress(sandbox.url)}`,
  ];
}

const CHANGES = 'subscription { companyChanged { id identifier changedFields { field from to } detectedAt } }';

/** A webhook receiver of the sandbox that stores its requests. */
const webhookAddress = (sandboxUrl: string): string => `${sandboxUrl}/_control/webhooks/demo`;

/** A monitor of the companies that the sandbox changes regularly. */
const watching = ({ url, examples }: NonNullable<Started['sandbox']>) => ({
  identifiers: examples.changing,
  country: 'BR',
  webhook_url: webhookAddress(url),
});

/** `npm start -- --help` */
export function helpText(): string {
  const rows = settings().map(
    ({ name, description, fallback }) => `  ${name.padEnd(28)} ${description}${fallback ? ` [${fallback}]` : ''}`,
  );
  return `Quipu: the company graph of Latin America.

Usage: npm start            run the service (embedded Postgres and sandbox sources by default)
       npm start -- --help  this text
       npm run quipu -- …   other commands; see npm run quipu -- --help

Settings, from the environment:
${rows.join('\n')}
`;
}
