import { randomBytes } from 'node:crypto';
import type { AddressInfo, ListenOptions } from 'node:net';
import path from 'node:path';
import { setFlagsFromString } from 'node:v8';
import type { FastifyInstance, FastifyListenOptions } from 'fastify';
import { readIfPresent, readOrCreate } from './app/data-folder.ts';
import { createLog, logDestination } from './app/log.ts';
import { listenError } from './app/shared-port.ts';
import { watchErrors } from './app/unhandled-errors.ts';
import type { SharedSandbox, WorkerTask } from './app/worker-tasks.ts';
import { WORKER_ARGUMENT, Workers } from './app/workers.ts';
import { type App, createApp } from './app.ts';
import type { Keys } from './auth/api-keys/keys.ts';
import { newKey } from './auth/api-keys/secret.ts';
import { banner, helpText } from './banner.ts';
import { type Config, ConfigError, processConfig } from './config.ts';
import type { Caller } from './context.ts';
import { retryWhileUnavailable } from './db/retry.ts';
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
  setFlagsFromString(`--heap-growing-percent=${HEAP_GROWTH_PERCENT}`);
  if (args[0] === WORKER_ARGUMENT && process.send) return serveAsWorker();
  const config = processConfig(settingsOf(args));
  if (config.workers > 1) return superviseWorkers(config);
  const text = await serve(config);
  if (!closing) out(text);
}

/** Returns the settings that the command line contains. @throws ConfigError for any other argument */
function settingsOf(args: readonly string[]): Readonly<Record<string, string>> {
  if (args.length === 0) return {};
  const [, workers] = /^--workers[= ](.+)$/.exec(args.join(' ')) ?? [];
  if (workers !== undefined) return { QUIPU_WORKERS: workers };
  throw new ConfigError(`Unknown arguments: ${args.join(' ')}. Settings come from the environment. See: npm start -- --help`);
}

/** Starts the service, and returns its start text when it is ready. `task` is that of a worker process. */
async function serve(config: Config, task?: WorkerTask): Promise<string> {
  const parent = task && { parent: { sandbox: task.sandbox } };
  const starting = logDestination(config).then((to) => {
    const own = createLog(config, to);
    const log = task ? own.child({ worker: task.index }) : own;
    watchErrors(log);
    return createApp(config, { onDatabaseLost, log, ...parent });
  });
  closeOnSignals(() => starting.then((app) => app.close()), task && ['SIGTERM']);
  const app = await starting;
  const { host, port, metricsPort } = config;
  const url = await listen(app, app.server, { host, port, setting: 'PORT', reusePort: task !== undefined });
  const metricsUrl = app.metrics && (await listen(app, app.metrics, { host, port: metricsPort, setting: 'QUIPU_METRICS_PORT' }));
  const sandbox = task?.sandbox ?? app.sandbox;
  const demoKey = sandbox ? await retryWhileUnavailable(() => ensureDemoKey(app.keys, config)) : null;
  await app.lists.firstRound; // the first checks of the portfolio then have the older month of the registry as their baseline
  if (sandbox && demoKey) await watchDemoPortfolio(app, config, demoKey, sandbox.examples);
  return banner({ config, url, metricsUrl, demoKey, lists: app.lists.loaded(), copyNote: app.copyNote(), sandbox });
}

/** Serves as one of several processes. It stops with its parent, which also decides when to stop: a terminal sends SIGINT to both. */
async function serveAsWorker(): Promise<void> {
  const task = await new Promise<WorkerTask>((resolve) => process.once('message', (message) => resolve(message as WorkerTask)));
  process.on('SIGINT', () => undefined);
  process.on('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  process.send?.(await serve(task.config, task));
}

/** Serves with several processes. */
async function superviseWorkers(config: Config): Promise<void> {
  const log = createLog(config, await logDestination(config));
  watchErrors(log);
  const workers = new Workers({ log, onDatabaseLost });
  closeOnSignals(async () => {
    if (!(await workers.stop())) throw new Error('A worker process did not stop cleanly.');
  });
  try {
    const text = await workers.start(config);
    if (!closing) out(text);
  } catch (error) {
    if (!closing) await workers.stop();
    throw error;
  }
}

/** Creates the demo portfolio with its levels of earlier days, if the key may watch companies. */
async function watchDemoPortfolio({ keys, open }: App, { plans }: Config, key: string, examples: SharedSandbox['examples']): Promise<void> {
  const caller = await retryWhileUnavailable(() => keys.find(key));
  if (!caller?.modules.has('monitor')) return;
  const { monitors, levels } = open(monitorService);
  await retryWhileUnavailable(() => levels.seed(caller.keyId, examples.levels));
  await ensureDemoPortfolio(monitors, caller, examples.portfolio, createPlans(plans)(caller.plan).watch);
}

interface ListenAt {
  readonly host: string;
  readonly port: number | undefined;
  /** Name of the port's setting, for error messages. */
  readonly setting: string;
  /** True if other processes listen on the same port. */
  readonly reusePort?: boolean;
}

/** Starts listening and returns the URL. */
async function listen(app: App, server: FastifyInstance, at: ListenAt): Promise<string> {
  const { host, port, reusePort = false } = at;
  try {
    const options: FastifyListenOptions & ListenOptions = { host, port, reusePort }; // Fastify passes it on, but does not declare it
    await server.listen(options);
    return addressOf(server);
  } catch (error) {
    await app.close();
    throw listenError(error, at);
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

/** Closes everything on one of these signals. A second signal exits at once. A process whose start has not finished closes after it. */
function closeOnSignals(close: () => Promise<unknown>, signals: readonly NodeJS.Signals[] = ['SIGINT', 'SIGTERM']): void {
  const stop = () => {
    if (closing) process.exit(1);
    closing = true;
    setTimeout(() => process.exit(1), CLOSE_DEADLINE_MS).unref();
    close().then(
      () => process.exit(0),
      (error: unknown) => fail(error),
    );
  };
  for (const signal of signals) process.on(signal, stop);
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
async function ensureDemoKey(keys: Keys, { dataDir }: Pick<Config, 'dataDir'>): Promise<string | null> {
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
async function ensureDemoPortfolio(monitors: Monitors, caller: Caller, portfolio: Portfolio, limits: WatchTerms): Promise<void> {
  const { total } = await retryWhileUnavailable(() => monitors.list(caller, { first: 1, after: null }));
  if (total > 0) return;
  const quiet = { webhookUrl: null, retryPolicy: 'none', listNews: false, recordNews: false, candidateNews: false } as const;
  for (const [country, identifiers] of Object.entries(portfolio))
    await retryWhileUnavailable(async () => {
      const { items } = await monitors.list(caller, { first: Object.keys(portfolio).length, after: null });
      // An answer that is lost says nothing of what was stored.
      if (!items.some((one) => one.country === country)) await monitors.create(caller, { country, identifiers, ...quiet }, limits);
    });
}
