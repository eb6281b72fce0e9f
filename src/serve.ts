import { randomBytes } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { FastifyInstance } from 'fastify';
import { readIfPresent, readOrCreate } from './app/data-folder.ts';
import { createLog, logDestination } from './app/log.ts';
import { type App, createApp } from './app.ts';
import type { Keys } from './auth/api-keys/keys.ts';
import { newKey } from './auth/api-keys/secret.ts';
import { banner, helpText } from './banner.ts';
import { type Config, ConfigError, processConfig } from './config.ts';
import type { Caller } from './context.ts';
import type { Country } from './domain/company.ts';
import type { WatchTerms } from './domain/plan.ts';
import { SECOND_MS } from './domain/time.ts';
import { createPlans } from './metering/plans.ts';
import { monitorService } from './modules/monitor/service/monitor.ts';
import type { Monitors } from './modules/monitor/service/monitors.ts';

const out = (text: string): void => void process.stdout.write(text);

/** Time in ms after which the process exits although it has not closed. */
const CLOSE_DEADLINE_MS = 15 * SECOND_MS;

/**
 * Growth of the heap at which V8 collects its old generation, in percent of its size after the last collection. By default V8 lets it grow
 * four times as large, and the end of such a collection stops the event loop for 60 to 120 ms, because freeing memory takes as long as
 * there is garbage. Collections are about five times as frequent with this limit, and most of their work runs concurrently with the event
 * loop.
 */
const HEAP_GROWTH_PERCENT = 40;

/** True after the first signal. Failures after it are consequences of the shutdown. */
let closing = false;

async function main(): Promise<void> {
  const args = process.argv.slice(2);
  if (args.some((arg) => arg === '--help' || arg === '-h')) return out(helpText());
  if (args.length > 0)
    throw new ConfigError(`Unknown arguments: ${args.join(' ')}. Settings come from the environment. See: npm start -- --help`);
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  const config = processConfig();
  const starting = logDestination(config).then((to) => createApp(config, { onDatabaseLost, log: createLog(config, to) }));
  closeOnSignals(starting);
  const app = await starting;
  const { host, port, metricsPort } = config;
  const url = await listen(app, app.server, { host, port, setting: 'PORT' });
  const metricsUrl = app.metrics && (await listen(app, app.metrics, { host, port: metricsPort, setting: 'QUIPU_METRICS_PORT' }));
  const demoKey = app.sandbox ? await ensureDemoKey(app.keys, config) : null;
  if (app.sandbox && demoKey) await watchDemoPortfolio(app, config, demoKey, app.sandbox.examples.portfolio);
  await app.lists.firstRound;
  if (!closing) out(banner({ config, url, metricsUrl, demoKey, lists: app.lists.loaded(), sandbox: app.sandbox }));
}

/** Creates the demo portfolio, if the key may watch companies. */
async function watchDemoPortfolio({ keys, open }: App, { plans }: Config, key: string, portfolio: Portfolio): Promise<void> {
  const caller = await keys.find(key);
  if (!caller?.modules.has('monitor')) return;
  await ensureDemoPortfolio(open(monitorService).monitors, caller, portfolio, createPlans(plans)(caller.plan).watch);
}

/** Starts listening and returns the URL. `setting` is the name of the port's setting, for error messages. */
async function listen(app: App, server: FastifyInstance, at: { host: string; port: number | undefined; setting: string }): Promise<string> {
  const { host, port, setting } = at;
  try {
    await server.listen({ host, port });
    return addressOf(server);
  } catch (error) {
    await app.close();
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') {
      throw new ConfigError(`Port ${port} on ${host} is in use: stop what listens there, or set ${setting} to another one.`);
    }
    throw new ConfigError(
      `HOST or ${setting}: this address cannot be listened on (${(error as NodeJS.ErrnoException).code ?? 'unknown'}).`,
    );
  }
}

function addressOf({ server }: FastifyInstance): string {
  const { address, port } = server.address() as AddressInfo;
  return `http://${['::', '0.0.0.0', '::1', '127.0.0.1'].includes(address) ? 'localhost' : address}:${port}`;
}

/** Exits, because the service cannot work without its database, so that a supervisor restarts it. */
function onDatabaseLost(): void {
  process.stderr.write('The embedded Postgres ended unexpectedly; see postgres.log in QUIPU_DATA_DIR.\n');
  process.exit(1);
}

/** Closes the app on SIGINT or SIGTERM after its start has finished. A second signal exits at once. */
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

const NAME = 'demo';
/** File of the demo key in the data folder. */
const FILE = 'demo.key';

/**
 * Creates the demo key of a sandbox at the first start and stores its text in the data folder, with mode 0600. Returns null if the key is
 * revoked, or if a start with another data folder has created it on the same database.
 */
export async function ensureDemoKey(keys: Keys, { dataDir }: Pick<Config, 'dataDir'>): Promise<string | null> {
  const file = path.join(dataDir, FILE);
  if ((await readIfPresent(file)) === null && (await keys.list()).some(({ name }) => name === NAME)) return null;
  const key = await readOrCreate(file, () => newKey(randomBytes));
  await keys.ensure(NAME, key);
  return (await keys.find(key)) && key;
}

/** Tax ids by country. */
export type Portfolio = Readonly<Partial<Record<Country, readonly string[]>>>;

/**
 * Watches made-up companies for the demo key of a sandbox, one monitor per country and without a webhook, so that the dashboard shows
 * changes at the first start. It does nothing while the key watches any company.
 */
export async function ensureDemoPortfolio(monitors: Monitors, caller: Caller, portfolio: Portfolio, limits: WatchTerms): Promise<void> {
  if ((await monitors.list(caller, { first: 1, after: null })).total > 0) return;
  for (const [country, identifiers] of Object.entries(portfolio))
    await monitors.create(
      caller,
      { country, identifiers, webhookUrl: null, retryPolicy: 'none', listNews: false, recordNews: false, candidateNews: false },
      limits,
    );
}
