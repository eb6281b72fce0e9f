import { type Config, settings } from './config.ts';
import { companyByStory } from './sources/sandbox/world.ts';

interface Started {
  readonly config: Config;
  /** Where the server answers. */
  readonly url: string;
  /** Shown once, when it was just made. */
  readonly demoKey: string | null;
  readonly sandboxUrl: string | null;
}

/** What the start prints: where things are, and in the sandbox three examples to copy. */
export function banner({ config, url, demoKey, sandboxUrl }: Started): string {
  const lines = [
    '',
    `Quipu answers at ${url}   (REST /v1, GraphQL and its explorer at /graphql)`,
    sandboxUrl ? `Sources: sandbox, a made-up world at ${sandboxUrl}` : 'Sources: live',
    ...[...config.givenAddresses].map(([name, address]) => `  ${name}: ${address ? 'set' : 'none'}`),
    ...(sandboxUrl ? examples(url, demoKey) : ['Make a key: npm run quipu -- keys create --name acme --modules all']),
    '',
  ];
  return `${lines.join('\n')}\n`;
}

function examples(url: string, demoKey: string | null): string[] {
  const { cnpj } = companyByStory('debarred-ceis');
  const header = demoKey ? `-H 'X-API-Key: ${demoKey}'` : '-H "X-API-Key: $QUIPU_KEY"';
  const query = `{ company(identifier: \\"${cnpj}\\") { name compliance { riskLevel completeness sourcesFailed } debarment { isDebarred } } }`;
  return [
    demoKey
      ? `Demo key (shown this once): ${demoKey}`
      : 'The demo key was shown at the first start. Another: npm run quipu -- keys create --name me --modules all',
    '',
    'REST:',
    `curl -s ${url}/v1/compliance-br ${header} -H 'content-type: application/json' -d '{"cnpj":"${cnpj}"}'`,
    '',
    'GraphQL:',
    `curl -s ${url}/graphql ${header} -H 'content-type: application/json' -d '{"query":"${query}"}'`,
    '',
    'Explorer:',
    `${url}/graphql${demoKey ? `#key=${demoKey}&company=${cnpj}` : ''}`,
  ];
}

/** `npm start -- --help` */
export function helpText(): string {
  const rows = settings().map(
    ({ name, description, fallback }) => `  ${name.padEnd(28)} ${description}${fallback ? ` [${fallback}]` : ''}`,
  );
  return `Quipu: the company graph of Latin America.

Usage: npm start            run the service (embedded Postgres and sandbox sources by default)
       npm start -- --help  this text
       npm run quipu -- …   keys and lists; see npm run quipu -- --help

Settings, from the environment:
${rows.join('\n')}
`;
}
