import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { RunningSandbox } from '../sandbox/index.ts';
import { Closing } from './app/closing.ts';
import { type ConfigWithSecret, unusableUsageFolder, withKeySecret } from './app/data-folder.ts';
import { openDatabase, openReplica } from './app/database.ts';
import { type HttpParts, httpOf } from './app/http.ts';
import { createLog } from './app/log.ts';
import { monthlyImports, registryCopyNote, registryCopyNoteAtStart } from './app/registry-copy.ts';
import { startSandboxOf } from './app/sandbox.ts';
import { createServices } from './app/services.ts';
import { openSignIn } from './app/sign-in.ts';
import { limitsOf, originOfAnswers } from './app/sources.ts';
import { cacheGauges, createTelemetry, observedMetering, queueGauges, replicaGauges, sourceGauges } from './app/telemetry.ts';
import { errorGauges } from './app/unhandled-errors.ts';
import { misfitSentence, misfitsAtStart } from './app/upgrade.ts';
import { controlOf, type SharedSandbox } from './app/worker-tasks.ts';
import { auditPurgeJob } from './audit/purge-job.ts';
import { createKeys, type Keys } from './auth/api-keys/keys.ts';
import { createAuthenticator } from './auth/authenticate.ts';
import { createInvalidKeyLimit } from './auth/invalid-keys.ts';
import { createLastUse } from './auth/last-use.ts';
import { personSessionsPurgeJob } from './auth/person-sessions-job.ts';
import { SharedCache } from './cache/shared.ts';
import type { Config } from './config.ts';
import { startEmbedded } from './db/embedded.ts';
import type { Gauge } from './db/gauges.ts';
import { poolBeside } from './db/knex.ts';
import { isMigrated } from './db/migrations.ts';
import { retryWhileUnavailable } from './db/retry.ts';
import { watchDatabase } from './db/watch.ts';
import { type Clock, SECOND_MS } from './domain/time.ts';
import { preparePdf } from './evidence/document.ts';
import type { Job } from './jobs/job.ts';
import { bringUpToDate } from './jobs/schema.ts';
import { describeLoaded, type ListSync, type ListSyncOptions, startListSync } from './jobs/sync-lists.ts';
import { startWorker } from './jobs/worker.ts';
import { meteringJobs } from './metering/jobs.ts';
import { createMetering, withoutWaiting } from './metering/metering.ts';
import { createContextFor } from './metering/request-context.ts';
import { parts as allParts } from './modules/index.ts';
import { connectionGauges } from './server/graphql/sessions.ts';
import { watchCapacity } from './server/limits.ts';
import { instrumentSql } from './server/telemetry/instrument.ts';
import { createMetricsServer } from './server/telemetry/metrics.ts';
import type { Open } from './service.ts';
import type { Sources } from './sources/build.ts';
import { createCallHours } from './sources/call-hours/recorder.ts';
import { readSourceHours } from './sources/call-hours/store.ts';

/** Options that tests replace. */
export interface AppOptions {
  readonly now?: Clock;
  readonly random?: () => number;
  readonly log?: Logger;
  /** Factor for the times after which the database counts as unavailable; default 1. On a busy machine it responds late. */
  readonly patience?: number;
  /** False if plain requests take the full path, too; default true. */
  readonly shortPath?: boolean;
  /** Called when the embedded Postgres exits unexpectedly. */
  readonly onDatabaseLost?: () => void;
  /** The sandbox of the parent of several server processes; null in live mode. By default the app starts its own. */
  readonly parent?: { readonly sandbox: SharedSandbox | null };
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
  /** Returns a sentence for operators about the own copy of the Brazilian registry; null if it answers as it should, or is not used. */
  readonly copyNote: () => string | null;
  /** The simulator; null in live mode, and in a process that uses that of its parent. */
  readonly sandbox: RunningSandbox | null;
  readonly log: Logger;
  /** Writes the usage that this process has counted so far to the database, which otherwise takes up to a second. */
  readonly drainUsage: () => Promise<void>;
  /** Writes the calls of sources that this process has recorded so far, which otherwise takes up to 15 s. */
  readonly flushCallHours: () => Promise<void>;
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
  { now = Date.now, random = Math.random, log = createLog(given), patience, shortPath = true, onDatabaseLost, parent }: AppOptions = {},
): Promise<App> {
  const closing = new Closing();
  try {
    const config = await withKeySecret(given);
    await preparePdf();
    const { db, callerDb, database, telemetry, misfits } = await openDatabases(config, { log, patience, onDatabaseLost }, closing);
    const { observer } = telemetry;
    const { keys, limits, authenticator, signIn } = await openKeys(config, { callerDb, now, log }, closing);
    const ownSandbox = config.sources === 'sandbox' && !parent ? await startSandboxOf(config, { log, now }) : null;
    if (ownSandbox) closing.add(() => ownSandbox.close());
    const sandbox = parent ? parent.sandbox : ownSandbox;
    const copyReads = openReplica(config, { db, now, log, observer });
    closing.add(async () => copyReads?.close());
    const shared = config.redisUrl
      ? new SharedCache({ redisUrl: config.redisUrl, origin: originOfAnswers(config, sandbox), now, log })
      : undefined;
    closing.add(async () => shared?.close());
    const callHours = createCallHours({ db, now, log });
    closing.add(() => callHours.close());
    const services = createServices(config, { db, copyReads, log, now, random, sandbox, observer, limits, shared, callHours });
    closing.add(() => services.close());
    const { sources, memory, loaders, rows, open } = services;

    const monthly = monthlyImports(config, { db, now, log, sources, sandboxUrl: sandbox?.url ?? null });
    const noteAtStart = await retryWhileUnavailable(() => registryCopyNoteAtStart(sources, monthly));
    if (noteAtStart && (monthly.length === 0 || !sandbox)) log.warn(noteAtStart); // the months of the sandbox are loaded within seconds
    const copyNote = () => registryCopyNote(sources, monthly);
    const onSync: ListSyncOptions['onSync'] = (copy, ms, failed) => sources.copies.includes(copy) && callHours.of(copy.name)(ms, failed);
    const lists = startListSync([...sources.copies, ...monthly], { log, random, intervalMs: config.listIntervalMs, onSync });
    closing.add(() => lists.stop());

    const capacity = watchCapacity(config.capacity);
    closing.add(async () => capacity.stop());
    const own = await createMetering({ ...config, db: callerDb, executionShare: capacity.share, now, log, patience }).catch(
      unusableUsageFolder,
    );
    closing.add(() => own.close());
    const metering = observedMetering(withoutWaiting(own, database), observer);

    const contextFor = createContextFor({
      ...metering,
      loaders,
      open,
      rows,
      sources: () => sources.report(),
      sourceHours: (source, from) => readSourceHours(db, source, from),
      now,
    });
    const server = await httpOf(config, {
      database,
      callerDb,
      now,
      log,
      observer,
      limits,
      metering,
      authenticator,
      signIn,
      memory,
      contextFor,
      sources: () => sources.report(),
      open,
      readiness: {
        listsTried: () => lists.tried(),
        notes: () =>
          [`${describeLoaded(lists.loaded())}.`, copyNote(), misfits.secret && misfitSentence(misfits.secret)].filter(
            (note) => note !== null,
          ),
        schemaProblem: config.newerSchema === 'accept' || !misfits.schema ? null : misfitSentence(misfits.schema),
      },
      jobsRun: () => worker?.runs() ?? true,
      controlSandbox: ownSandbox?.control ?? (parent?.sandbox ? controlOf(parent.sandbox) : undefined),
      shortPath,
    });
    const jobs = config.roles.includes('worker') ? jobsOf(config, metering) : [];
    const worker = jobs.length > 0 ? startWorker({ db, now, jobs, open, log }) : null;
    closing.add(async () => {
      server.startDraining();
      await sleep(config.drainMs);
      await Promise.all([server.close(), worker?.stop()]); // in parallel, because clients move to other processes while jobs end
    });

    const gauges = gaugesOf({ db, now, open, server, sources, memory, copyReads });
    const metrics = telemetry.metrics ? await createMetricsServer(gauges, log, telemetry.metrics.registry) : null;
    if (metrics) closing.add(() => metrics.close());

    return {
      server,
      metrics,
      db,
      keys,
      sources,
      open,
      lists,
      copyNote,
      sandbox: ownSandbox,
      log,
      drainUsage: own.usage.drain,
      flushCallHours: callHours.flush,
      close: () => closing.close(),
    };
  } catch (error) {
    await closing.close().catch((fault: unknown) => log.error({ err: fault }, 'cleaning up after a failed start failed'));
    throw error;
  }
}

/** Opens the database and the connections for callers, brings the schema up to date, and watches whether the database answers. */
async function openDatabases(
  config: ConfigWithSecret,
  { log, patience, onDatabaseLost }: Pick<AppOptions, 'patience' | 'onDatabaseLost'> & { readonly log: Logger },
  closing: Closing,
) {
  const { db, close } = await openDatabase(config, log, (dataDir) => startEmbedded(dataDir, { log, onExit: onDatabaseLost }));
  closing.add(close);
  const telemetry = await createTelemetry(config, db);
  closing.add(() => telemetry.close());
  await bringUpToDate(db, log);
  const misfits = await retryWhileUnavailable(() => misfitsAtStart(db, config.keySecret));
  for (const misfit of [misfits.schema, misfits.secret]) if (misfit) log.error(misfitSentence(misfit));
  const callerDb = poolBeside(db, { log, poolMax: CALLER_POOL, statementTimeoutMs: CALLER_STATEMENT_MS });
  closing.add(() => callerDb.destroy());
  if (telemetry.observer) instrumentSql(callerDb, telemetry.observer);
  const database = watchDatabase(db, isMigrated, patience);
  database.guard(callerDb);
  closing.add(() => database.stop());
  return { db, callerDb, database, telemetry, misfits };
}

/** Creates the operations on API keys, the limits over all processes, the sign-in of people, and the authenticator. */
async function openKeys(
  config: ConfigWithSecret,
  { callerDb: db, now, log }: Pick<HttpParts, 'callerDb' | 'now' | 'log'>,
  closing: Closing,
) {
  const keys = createKeys({ db, now, secret: config.keySecret, bootstrapKey: config.bootstrapKey });
  await retryWhileUnavailable(() => keys.ensureBootstrap());
  const limits = limitsOf(config, log);
  closing.add(async () => limits?.close());
  const lastUse = createLastUse({ db, now, log });
  closing.add(() => lastUse.close());
  const invalidKeys = createInvalidKeyLimit({ now, limits, secret: config.keySecret });
  const signIn = openSignIn(config, { db, now, log }, closing);
  const sessions = signIn && { origin: new URL(signIn.settings.publicUrl).origin, people: signIn.sessions };
  const authenticator = createAuthenticator({ keys, lastUse, invalidKeys, sessions });
  return { keys, limits, authenticator, signIn };
}

interface GaugeParts extends Pick<HttpParts, 'now' | 'memory' | 'open'> {
  readonly db: Knex;
  readonly server: FastifyInstance;
  readonly sources: Sources;
  readonly copyReads: ReturnType<typeof openReplica>;
}

/** Returns the gauges of the core, of all modules and of the engines that they share. */
const gaugesOf = ({ db, now, open, server, sources, memory, copyReads }: GaugeParts): readonly Gauge[] => [
  ...allParts.flatMap(({ gauges }) => gauges?.({ db, now, open }) ?? []),
  ...connectionGauges(server),
  ...sourceGauges(() => sources.report(), now),
  ...queueGauges(db, now),
  ...cacheGauges(() => memory.bytes()),
  ...replicaGauges(copyReads),
  ...errorGauges(),
];

/** Returns the background jobs of the core, of all modules and of the engines that they share. */
const jobsOf = ({ auditKeptMs, usageKeptMs }: Config, { idempotency }: HttpParts['metering']): readonly Job[] => [
  auditPurgeJob(auditKeptMs),
  personSessionsPurgeJob,
  ...meteringJobs({ idempotency, usageKeptMs }),
  ...allParts.flatMap(({ jobs = [] }) => jobs),
];
