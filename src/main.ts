import type { AddressInfo } from 'node:net';
import { type App, createApp } from './app.ts';
import { banner, helpText } from './banner.ts';
import { type Config, ConfigError, processConfig } from './config.ts';
import { MODULES } from './domain/modules.ts';
import { SECOND_MS } from './domain/time.ts';

const out = (text: string): void => void process.stdout.write(text);

/** A closing that takes longer is cut off. */
const CLOSE_DEADLINE_MS = 15 * SECOND_MS;

/** Set by the first signal: what fails from then on fails because we are leaving. */
let closing = false;

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  if (args.some((arg) => arg === '--help' || arg === '-h')) return out(helpText());
  if (args.length > 0) throw new ConfigError(`There is no ${args.join(' ')}: settings come from the environment. See: npm start -- --help`);
  const config = processConfig();
  const starting = createApp(config, { onDatabaseLost });
  closeOnSignals(starting);
  const app = await starting;
  const url = await listen(app, config);
  const demoKey = app.sandbox ? await firstDemoKey(app) : null;
  await app.lists.firstRound;
  if (!closing) out(banner({ config, url, demoKey, sandboxUrl: app.sandbox?.url ?? null }));
}

/** Listens; where. */
async function listen(app: App, { host, port }: Config): Promise<string> {
  try {
    await app.server.listen({ host, port });
    return addressOf(app);
  } catch (error) {
    await app.close();
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') {
      throw new ConfigError(`Port ${port} on ${host} is in use: stop what listens there, or set PORT to another one.`);
    }
    throw new ConfigError(`HOST or PORT: this address cannot be listened on (${(error as NodeJS.ErrnoException).code ?? 'unknown'}).`);
  }
}

/** The first start of a sandbox makes a key to try things with; later starts cannot show it again. */
async function firstDemoKey({ keys }: App): Promise<string | null> {
  const known = await keys.list();
  if (known.some(({ name }) => name === 'demo')) return null;
  return (await keys.create({ name: 'demo', modules: MODULES })).key;
}

function addressOf({ server }: App): string {
  const { address, port } = server.server.address() as AddressInfo;
  return `http://${['::', '0.0.0.0', '::1', '127.0.0.1'].includes(address) ? 'localhost' : address}:${port}`;
}

/** Without its database the service is of no use; whoever started it may start it again. */
function onDatabaseLost(): void {
  process.stderr.write('The embedded Postgres ended unexpectedly; see postgres.log in QUIPU_DATA_DIR.\n');
  process.exit(1);
}

/** SIGINT or SIGTERM closes in order, once the start is through; a second one does not wait. */
function closeOnSignals(starting: Promise<App>): void {
  const stop = () => {
    if (closing) process.exit(1);
    closing = true;
    setTimeout(() => process.exit(1), CLOSE_DEADLINE_MS).unref();
    starting
      .then((app) => app.close())
      .then(
        () => process.exit(0),
        (error: unknown) => fail(error),
      );
  };
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
}

function fail(error: unknown): never {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exit(1);
}

main().catch((error: unknown) => {
  if (!closing) fail(error);
});
