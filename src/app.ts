import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Knex } from 'knex';
import pino, { type Logger } from 'pino';
import { auditPurgeJob } from './access/audit-purge.job.ts';
import { createBadKeys } from './access/bad-keys.ts';
import { createContextFor } from './access/context-for.ts';
import { createDocuments } from './access/documents.ts';
import { createDoor } from './access/door.ts';
import { createKeys, type Keys } from './access/keys.ts';
import { createLastUse } from './access/last-use.ts';
import { createToll } from './access/toll.ts';
import { openDatabase, unreachable } from './app/database.ts';
import { type Config, resolveAddress, resolveSetting } from './config.ts';
import { startEmbedded } from './db/embedded.ts';
import { isMigrated } from './db/migrations.ts';
import { createSealer } from './db/sealer.ts';
import type { Clock } from './domain/time.ts';
import { createExamine } from './graphql/limits/examine.ts';
import { buildSchema } from './graphql/schema.ts';
import { bringUpToDate } from './jobs/schema.ts';
import { type ListSync, startListSync } from './jobs/sync-lists.ts';
import { startWorker } from './jobs/worker.ts';
import { createLoaders } from './loaders/loader.ts';
import { modules } from './modules/index.ts';
import { monitorFigures } from './modules/monitor/store/figures.ts';
import { heldBySource } from './modules/monitor/store/held.ts';
import { coreRoutes } from './rest/usage.ts';
import { announceSandbox, type SandboxAddress } from './sandbox/address.ts';
import { type Sandbox, startSandbox } from './sandbox/server.ts';
import { liveFigures } from './server/live.ts';
import { createMetricsServer } from './server/metrics.ts';
import { createPrepare } from './server/prepare.ts';
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
  /** Serves `/metrics`; null where it is off. */
  readonly metrics: FastifyInstance | null;
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
    const lastUse = createLastUse({ db, now, log });
    closing.push(() => lastUse.close());
    const door = createDoor({ keys, lastUse, badKeys: createBadKeys() });

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

    const toll = createToll({ ...config, db, now, log });
    closing.push(() => toll.close());

    const schema = buildSchema(modules.flatMap((module) => module.resolvers));
    const server = await createServer({
      idempotency: toll.idempotency,
      schema,
      prepare: createPrepare({
        ...toll,
        schema,
        examine: createExamine(schema, config),
        documents: createDocuments({ db, now }),
        trustedOnly: config.trustedDocumentsOnly,
      }),
      deadlineMs: config.deadlineMs,
      routes: [...coreRoutes, ...modules.flatMap((module) => module.routes)],
      findCaller: door.find,
      stillOpen: door.stillOpen,
      allowedOrigins: config.allowedOrigins,
      maxConnections: config.maxConnections,
      trustedProxies: config.trustedProxies,
      contextFor: createContextFor({ ...toll, loaders, open: services.open, db, sources: () => sources.report(), now }),
      readiness: { migrated: () => isMigrated(db), listsTried: () => lists.tried() },
      log,
    });
    const coreJobs = [...toll.jobs, auditPurgeJob({ db, now, keptMs: config.auditKeptMs })];
    const jobs = config.roles.includes('worker') ? [...coreJobs, ...modules.flatMap(({ jobs = [] }) => jobs)] : [];
    const worker = jobs.length > 0 ? startWorker({ db, jobs, open: services.open, log }) : null;
    closing.push(async () => {
      server.leave();
      await sleep(config.drainMs);
      await Promise.all([server.close(), worker?.stop()]); // at once: who asks is told to go elsewhere while jobs end
    });

    const metrics =
      config.metricsPort === undefined ? null : await createMetricsServer([...monitorFigures(db, now), ...liveFigures(server)], log);
    if (metrics) closing.push(() => metrics.close());

    return { server, metrics, db, keys, sources, open: services.open, lists, sandbox, log, close };
  } catch (error) {
    await close().catch((fault: unknown) => log.error({ err: fault }, 'a failed start left something behind'));
    throw error;
  }
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
  const dns = createDns({
    servers: madeUp ? [madeUp.dns] : dnsServers,
    ...(madeUp && { origin: 'sandbox' as const }),
    // Two questions a name, and no customer's dead name server may hold up the names of others.
    ...(concurrency && { concurrency: 2 * concurrency, rests: false }),
    now,
    log,
  });
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
    () => heldBySource(db),
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
