import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Knex } from 'knex';
import pino, { type Logger } from 'pino';
import { createContextFor } from './access/context-for.ts';
import { createKeys, type Keys } from './access/keys.ts';
import { type Config, ConfigError, resolveAddress, resolveSetting } from './config.ts';
import { type Embedded, startEmbedded } from './db/embedded.ts';
import { createDb } from './db/knex.ts';
import { createSealer } from './db/sealer.ts';
import type { Clock } from './domain/time.ts';
import { buildSchema } from './graphql/schema.ts';
import { bringUpToDate } from './jobs/schema.ts';
import { type ListSync, startListSync } from './jobs/sync-lists.ts';
import { startWorker } from './jobs/worker.ts';
import { createLoaders } from './loaders/loader.ts';
import { modules } from './modules/index.ts';
import { announceSandbox, type SandboxAddress } from './sandbox/address.ts';
import { type Sandbox, startSandbox } from './sandbox/server.ts';
import { createServer } from './server/server.ts';
import { buildServices, type Open, type ServiceDeps, type Services } from './service.ts';
import { buildSources, type Sources } from './sources/build.ts';
import { createDns } from './sources/dns/client.ts';
import { createHttpClient } from './sources/http/client.ts';
import { createOutboundClient } from './sources/outbound/client.ts';
import { siteZones, websiteSimulator } from './sources/sandbox/website.ts';

/** What a test may put in the place of the process's own. */
export interface AppOptions {
  readonly now?: Clock;
  readonly random?: () => number;
  readonly log?: Logger;
  /** Told when the embedded Postgres ends although nobody stopped it. */
  readonly onDatabaseLost?: () => void;
}

/** The whole service, built and not yet listening. */
export interface App {
  readonly server: FastifyInstance;
  readonly db: Knex;
  readonly keys: Keys;
  readonly sources: Sources;
  readonly open: Open;
  readonly lists: ListSync;
  /** The simulator; null in live mode. */
  readonly sandbox: Sandbox | null;
  readonly log: Logger;
  /** Stops in reverse order of the start. */
  close(): Promise<void>;
}

/**
 * The composition root: the only place that makes things, each from those above it.
 * @throws when the database cannot be reached or migrated, or another process owns the data folder
 */
export async function createApp(
  config: Config,
  { now = Date.now, random = Math.random, log = createLog(config), onDatabaseLost }: AppOptions = {},
): Promise<App> {
  const closing: (() => Promise<unknown>)[] = [];
  const close = async () => {
    const faults: unknown[] = [];
    for (const stop of closing.splice(0).reverse()) await stop().catch((fault: unknown) => faults.push(fault));
    if (faults.length > 0) throw new AggregateError(faults, 'not everything stopped cleanly');
  };
  try {
    const { db, close: closeDatabase } = await openDatabase(config, log, (dataDir) =>
      startEmbedded(dataDir, { log, onExit: onDatabaseLost }),
    );
    closing.push(closeDatabase);
    await bringUpToDate(db).catch(unreachable(config));

    const keys = createKeys({ db, now, secret: config.keySecret, bootstrapKey: config.bootstrapKey });
    await keys.ensureBootstrap();

    const sandbox = config.sources === 'sandbox' ? await startWorld(config, { log, now }) : null;
    if (sandbox) {
      closing.push(() => sandbox.close());
      closing.push(await announceSandbox(config.dataDir, sandbox));
    }

    const parts = { db, log, now, random, sandbox };
    const sources = sourcesOf(config, parts);
    closing.push(() => sources.close());
    const loaders = createLoaders(sources.use, now);
    const services = servicesOf(config, { ...parts, use: sources.use, loaders });
    closing.push(() => services.close());

    const lists = startListSync(sources.copies, { log, random, intervalMs: config.listIntervalMs });
    closing.push(() => lists.stop());

    const server = await createServer({
      schema: buildSchema(modules.flatMap((module) => module.resolvers)),
      routes: modules.flatMap((module) => module.routes),
      findCaller: (key) => keys.find(key),
      contextFor: createContextFor({ loaders, open: services.open, db, sources: () => sources.report(), now }),
      readiness: { database: () => db.raw('SELECT 1').timeout(2_000), listsTried: () => lists.tried() },
      log,
    });
    closing.push(() => server.close());

    if (config.roles.includes('worker')) {
      const worker = startWorker({ db, jobs: modules.flatMap(({ jobs = [] }) => jobs), open: services.open, log });
      closing.push(() => worker.stop());
    }
    return { server, db, keys, sources, open: services.open, lists, sandbox, log, close };
  } catch (error) {
    await close().catch((fault: unknown) => log.error({ err: fault }, 'a failed start left something behind'));
    throw error;
  }
}

/** A database that cannot be reached is told as a setting at fault, without its address. */
const unreachable =
  ({ databaseUrl }: Config) =>
  (error: Error & { code?: string }): never => {
    const known = databaseUrl && /^(ECONN|ENOTFOUND|EAI_|ETIMEDOUT|EHOSTUNREACH|28|3D|KnexTimeout)/.test(error.code ?? error.name);
    if (!known) throw error;
    throw new ConfigError(`DATABASE_URL: this Postgres cannot be used (${error.code ?? error.name}).`);
  };

/** A folder that cannot be made or written is told as the setting at fault. */
function unusableFolder(error: Error & { code?: string }): never {
  if (!/^(EEXIST|ENOTDIR|EACCES|EROFS|ENOSPC|EPERM)$/.test(error.code ?? '')) throw error;
  throw new ConfigError(`QUIPU_DATA_DIR: this folder cannot be used (${error.code}).`);
}

/** The database the configuration names, or an embedded one; `embedded` says how to come by that. */
export async function openDatabase(
  config: Config,
  log: Logger,
  embedded: (dataDir: string) => Promise<Embedded>,
): Promise<{ db: Knex; close(): Promise<void> }> {
  const own = config.databaseUrl ? null : await embedded(config.dataDir).catch(unusableFolder);
  const db = createDb(config.databaseUrl ?? own?.url ?? '', { log });
  return {
    db,
    async close() {
      await db.destroy();
      await own?.stop();
    },
  };
}

/** The simulator of every module's upstreams, and of the websites. */
function startWorld({ sandboxPort }: Config, { log, now }: Required<Pick<AppOptions, 'log' | 'now'>>): Promise<Sandbox> {
  return startSandbox({
    port: sandboxPort,
    simulators: [...modules.flatMap((module) => module.simulators), websiteSimulator],
    zones: [...modules.flatMap((module) => module.zones ?? []), ...siteZones],
    log,
    now,
  });
}

/** The ways out: names are looked up and sites fetched where the configuration says, in the sandbox within this machine. */
function waysOut({ dnsServers, outboundAllow }: Config, { log, now, sandbox }: Omit<SourceParts, 'db'>, concurrency?: number) {
  const madeUp = dnsServers.length === 0 ? sandbox : null;
  const dns = createDns({ servers: madeUp ? [madeUp.dns] : dnsServers, ...(madeUp && { origin: 'sandbox' as const }), now, log });
  const allow = sandbox ? [...outboundAllow, '127.0.0.0/8'] : outboundAllow;
  const ports = new Map(madeUp ? [80, 443].map((port) => [port, Number(new URL(madeUp.url).port)]) : []);
  return { dns, outbound: createOutboundClient({ dns, allow, log, ports, concurrency }) };
}

/** The sources of all modules, at the addresses of the configuration. */
export function sourcesOf(config: Config, parts: SourceParts): Sources {
  const { db, log, now, random, sandbox } = parts;
  const { dns, outbound } = waysOut(config, parts);
  const sources = buildSources(
    modules.flatMap((module) => module.sources),
    ({ name }) => ({
      address: (setting) => resolveAddress(config, setting, sandbox?.url ?? null),
      setting: (name) => resolveSetting(config, name),
      http: ({ concurrency = 16 } = {}) => createHttpClient({ source: name, concurrency, now, random, log }),
      outbound,
      dns,
      db,
      now,
      random,
      log: log.child({ source: name }),
      tempDir: path.join(config.dataDir, 'downloads'),
    }),
  );
  return {
    ...sources,
    async close() {
      await outbound.close();
      await sources.close();
    },
  };
}

/** Webhooks on the wire at once. */
const WEBHOOKS_AT_ONCE = 64;

/** The services of all modules. */
export function servicesOf(config: Config, parts: SourceParts & Pick<ServiceDeps, 'use' | 'loaders'>): Services {
  const { outbound: webhooks } = waysOut(config, parts, WEBHOOKS_AT_ONCE);
  const services = buildServices(({ name }) => ({
    ...parts,
    webhooks,
    sealer: createSealer(config.keySecret, `quipu ${name}`),
    setting: (setting) => resolveSetting(config, setting),
    log: parts.log.child({ service: name }),
  }));
  return {
    ...services,
    async close() {
      await services.close();
      await webhooks.close();
    },
  };
}

interface SourceParts extends Required<Pick<AppOptions, 'now' | 'random' | 'log'>> {
  readonly db: Knex;
  /** Null in live mode. */
  readonly sandbox: SandboxAddress | null;
}

/** JSON lines on stderr: stdout belongs to what a person asked for. Keys never reach it. */
export const createLog = ({ logLevel }: Pick<Config, 'logLevel'>): Logger =>
  pino({ level: logLevel, base: null, redact: ['req.headers["x-api-key"]', '*.url', '*.key'] }, pino.destination({ dest: 2, sync: false }));
