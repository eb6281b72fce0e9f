import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { RunningSandbox } from '../sandbox/index.ts';
import { withKeySecret } from './app/data-folder.ts';
import { openDatabase, openReplica } from './app/database.ts';
import { createLog } from './app/log.ts';
import { createServices } from './app/services.ts';
import { limitsOf, originOfAnswers } from './app/sources.ts';
import { cacheGauges, createTelemetry, observedMetering, queueGauges, replicaGauges, sourceGauges } from './app/telemetry.ts';
import { misfitSentence, misfitsAtStart } from './app/upgrade.ts';
import { auditPurgeJob } from './audit/purge-job.ts';
import { createKeys, type Keys } from './auth/api-keys/keys.ts';
import { type Authenticator, createAuthenticator } from './auth/authenticate.ts';
import { createInvalidKeyLimit } from './auth/invalid-keys.ts';
import { createLastUse } from './auth/last-use.ts';
import { createDocuments, documentHash } from './auth/trusted-documents.ts';
import type { CacheMemory } from './cache/memory.ts';
import { SharedCache } from './cache/shared.ts';
import type { SharedLimits } from './cache/shared-limits.ts';
import type { Config } from './config.ts';
import { startEmbedded } from './db/embedded.ts';
import { type DatabaseWatch, poolBeside, watchDatabase } from './db/knex.ts';
import { isMigrated } from './db/migrations.ts';
import { type Clock, SECOND_MS } from './domain/time.ts';
import { createCompiledExecutor } from './graphql/compiled/executor.ts';
import { createOperationValidator } from './graphql/limits/validate-operation.ts';
import { buildSchema } from './graphql/schema.ts';
import type { Job } from './jobs/job.ts';
import { bringUpToDate } from './jobs/schema.ts';
import { describeLoaded, type ListSync, startListSync } from './jobs/sync-lists.ts';
import { startWorker } from './jobs/worker.ts';
import { TOOLS } from './mcp/tools.ts';
import { meteringJobs } from './metering/jobs.ts';
import { type ContextFor, createContextFor, createMetering, type Metering, whileAvailable } from './metering/metering.ts';
import { parts as allParts, modules } from './modules/index.ts';
import type { Observer } from './observer.ts';
import { coreRoutes } from './rest/account-routes.ts';
import { createPrepareOperation } from './server/graphql/prepare-operation.ts';
import { connectionGauges } from './server/graphql/sessions.ts';
import { createStatus, type Readiness } from './server/health.ts';
import { createServer } from './server/http.ts';
import { watchCapacity } from './server/limits.ts';
import { instrumentFields, instrumentSql } from './server/telemetry/instrument.ts';
import { createMetricsServer } from './server/telemetry/metrics.ts';
import type { Open } from './service.ts';
import type { Sources } from './sources/build.ts';

/** Options that tests replace. */
export interface AppOptions {
  readonly now?: Clock;
  readonly random?: () => number;
  readonly log?: Logger;
  /** Factor for the times after which the database counts as unavailable; default 1. On a busy machine it responds late. */
  readonly patience?: number;
  /** Called when the embedded Postgres exits unexpectedly. */
  readonly onDatabaseLost?: () => void;
}

/** The service, before it listens. */
export interface App {
  readonly server: FastifyInstance;
  /** Server of `/metrics`; null if it is off. */
  readonly metrics: FastifyInstance | null;
  readonly db: Knex;
  readonly keys: Keys;
  readonly sources: Sources;
  readonly open: Open;
  readonly lists: ListSync;
  /** The simulator; null in live mode. */
  readonly sandbox: RunningSandbox | null;
  readonly log: Logger;
  /** Stops everything in the reverse order of the start. */
  close(): Promise<void>;
}

/** Number of connections for keys, trusted documents and metering. Reads of one caller that fill the other pool do not delay them. */
const CALLER_POOL = 4;
/** Statement timeout of these connections, which read and write single rows. */
const CALLER_STATEMENT_MS = SECOND_MS;

/**
 * The composition root: creates everything, each part from the parts above it.
 * @throws when the database cannot be reached or migrated, or another process owns the data folder
 */
export async function createApp(
  given: Config,
  { now = Date.now, random = Math.random, log = createLog(given), patience, onDatabaseLost }: AppOptions = {},
): Promise<App> {
  const closing: (() => Promise<unknown>)[] = [];
  const close = async () => {
    const faults: unknown[] = [];
    for (const stop of closing.splice(0).reverse()) await stop().catch((fault: unknown) => faults.push(fault));
    if (faults.length > 0) throw new AggregateError(faults, 'not everything stopped cleanly');
  };
  try {
    const config = await withKeySecret(given);
    const { db, close: closeDatabase } = await openDatabase(config, log, (dataDir) =>
      startEmbedded(dataDir, { log, onExit: onDatabaseLost }),
    );
    closing.push(closeDatabase);
    const telemetry = await createTelemetry(config, db);
    closing.push(() => telemetry.close());
    const { observer } = telemetry;
    await bringUpToDate(db, log);
    const misfits = await misfitsAtStart(db, config.keySecret);
    for (const misfit of [misfits.schema, misfits.secret]) if (misfit) log.error(misfitSentence(misfit));
    const callerDb = poolBeside(db, { log, poolMax: CALLER_POOL, statementTimeoutMs: CALLER_STATEMENT_MS });
    closing.push(() => callerDb.destroy());
    if (observer) instrumentSql(callerDb, observer);
    const database = watchDatabase(db, isMigrated, patience);
    closing.push(() => database.stop());

    const keys = createKeys({ db: callerDb, now, secret: config.keySecret, bootstrapKey: config.bootstrapKey });
    await keys.ensureBootstrap();
    const limits = limitsOf(config, log);
    closing.push(async () => limits?.close());
    const lastUse = createLastUse({ db: callerDb, now, log });
    closing.push(() => lastUse.close());
    const checked = createAuthenticator({ keys, lastUse, invalidKeys: createInvalidKeyLimit({ now, limits, secret: config.keySecret }) });
    const authenticator: Authenticator = {
      ...checked,
      authenticate: (key, address) => database.whileAvailable(() => checked.authenticate(key, address)),
    };

    const sandbox = config.sources === 'sandbox' ? await startSandboxOf(config, { log, now }) : null;
    if (sandbox) closing.push(() => sandbox.close());

    const copyReads = openReplica(config, { db, now, log, observer });
    closing.push(async () => copyReads?.close());
    const shared = config.redisUrl
      ? new SharedCache({ redisUrl: config.redisUrl, origin: originOfAnswers(config, sandbox), now, log })
      : undefined;
    closing.push(async () => shared?.close());
    const services = createServices(config, { db, copyReads, log, now, random, sandbox, observer, limits, shared });
    closing.push(() => services.close());
    const { sources, memory, loaders, rows, open } = services;

    const lists = startListSync(sources.copies, { log, random, intervalMs: config.listIntervalMs });
    closing.push(() => lists.stop());

    const capacity = watchCapacity(config.capacity);
    closing.push(async () => capacity.stop());
    const own = createMetering({ ...config, db: callerDb, executionShare: capacity.share, now, log, patience });
    closing.push(() => own.close());
    const metering = observedMetering(whileAvailable(own, database), observer);

    const contextFor = createContextFor({ ...metering, loaders, open, rows, sources: () => sources.report(), now });
    const server = await httpOf(config, {
      database,
      callerDb,
      now,
      log,
      observer,
      limits,
      metering,
      authenticator,
      memory,
      contextFor,
      sources: () => sources.report(),
      open,
      readiness: {
        listsTried: () => lists.tried(),
        notes: () => [`${describeLoaded(lists.loaded())}.`, ...(misfits.secret ? [misfitSentence(misfits.secret)] : [])],
        schemaProblem: config.newerSchema === 'accept' || !misfits.schema ? null : misfitSentence(misfits.schema),
      },
      jobsRun: () => worker?.runs() ?? true,
      controlSandbox: sandbox?.control,
    });
    const jobs = config.roles.includes('worker') ? jobsOf(config, { db, now, metering }) : [];
    const worker = jobs.length > 0 ? startWorker({ db, jobs, open, log }) : null;
    closing.push(async () => {
      server.startDraining();
      await sleep(config.drainMs);
      await Promise.all([server.close(), worker?.stop()]); // in parallel, because clients move to other processes while jobs end
    });

    const gauges = [
      ...allParts.flatMap(({ gauges }) => gauges?.({ db, now, open }) ?? []),
      ...connectionGauges(server),
      ...sourceGauges(() => sources.report(), now),
      ...queueGauges(db, now),
      ...cacheGauges(() => memory.bytes()),
      ...replicaGauges(copyReads),
    ];
    const metrics = telemetry.metrics ? await createMetricsServer(gauges, log, telemetry.metrics.registry) : null;
    if (metrics) closing.push(() => metrics.close());

    return { server, metrics, db, keys, sources, open, lists, sandbox, log, close };
  } catch (error) {
    await close().catch((fault: unknown) => log.error({ err: fault }, 'cleaning up after a failed start failed'));
    throw error;
  }
}

interface HttpParts extends Required<Pick<AppOptions, 'now' | 'log'>> {
  readonly database: DatabaseWatch<boolean>;
  readonly callerDb: Knex;
  readonly observer: Observer | undefined;
  readonly limits: SharedLimits | undefined;
  readonly metering: Metering;
  readonly authenticator: Authenticator;
  readonly memory: CacheMemory;
  readonly contextFor: ContextFor;
  readonly sources: Sources['report'];
  readonly open: Open;
  readonly readiness: Pick<Readiness, 'listsTried' | 'notes' | 'schemaProblem'>;
  readonly jobsRun: () => boolean;
  readonly controlSandbox: RunningSandbox['control'] | undefined;
}

/** Creates the HTTP server over the modules' resolvers and routes. */
function httpOf(
  config: Config,
  {
    database,
    callerDb,
    now,
    log,
    observer,
    limits,
    metering,
    authenticator,
    memory,
    contextFor,
    sources,
    open,
    readiness,
    jobsRun,
    controlSandbox,
  }: HttpParts,
) {
  const schema = buildSchema(
    modules.flatMap((module) => module.resolvers),
    config,
  );
  if (observer) instrumentFields(schema, observer);
  const documents = createDocuments({ db: callerDb, now });
  const { allowedOrigins, maxConnections, trustedProxies, deadlineMs, trustedDocumentsOnly: trustedOnly, compiledExecutor } = config;
  return createServer({
    allowedOrigins,
    maxConnections,
    trustedProxies,
    deadlineMs,
    executeToText: compiledExecutor ? createCompiledExecutor(schema, { memory, observer }) : undefined,
    observer,
    limits,
    log,
    contextFor,
    executions: metering.executions,
    schema,
    idempotency: metering.idempotency,
    prepareOperation: createPrepareOperation({
      ...metering,
      schema,
      validate: createOperationValidator(schema, config),
      documents: { find: async (hash) => TOOL_DOCUMENTS.get(hash) ?? documents.find(hash) },
      trustedOnly,
    }),
    routes: [...coreRoutes, ...modules.flatMap((module) => module.routes)],
    publicDocuments: { ...publicDocumentsOf(open), '/status.json': createStatus(sources, now) },
    authenticator,
    readiness: { ...readiness, migrated: database.last, jobsRun },
    controlSandbox,
  });
}

/** The documents of the tools of agents, by hash. Every key may run them. */
const TOOL_DOCUMENTS: ReadonlyMap<string, string> = new Map(TOOLS.map(({ document }) => [documentHash(document), document]));

/** Returns the public documents of all modules. */
const publicDocumentsOf = (open: Open): Readonly<Record<string, () => Promise<unknown>>> =>
  Object.fromEntries(
    modules.flatMap(({ publicDocuments = {} }) => Object.entries(publicDocuments)).map(([path, read]) => [path, () => read(open)]),
  );

/** Returns the background jobs of the core, of all modules and of the engines that they share. */
const jobsOf = (
  { auditKeptMs, usageKeptMs }: Config,
  { db, now, metering }: Pick<HttpParts, 'now' | 'metering'> & { readonly db: Knex },
): readonly Job[] => [
  auditPurgeJob({ db, now, keptMs: auditKeptMs }),
  ...meteringJobs({ db, now, idempotency: metering.idempotency, usageKeptMs }),
  ...allParts.flatMap(({ jobs = [] }) => jobs),
];

/** Imports the simulator in sandbox mode only, so that a live process loads no made-up data. */
async function startSandboxOf(
  { sandboxPort: port, sandboxHost: host, dataDir }: Config,
  { log, now }: Required<Pick<AppOptions, 'log' | 'now'>>,
) {
  const { runSandbox } = await import('../sandbox/index.ts');
  return runSandbox({ port, host, dataDir, log, now });
}
