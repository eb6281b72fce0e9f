import type { Caller } from '../../src/context.ts';
import { built } from '../harness/built.ts';

/**
 * Baseline: the server, routes and loaders of Quipu without authentication, rate limits and usage records. It uses the database and the
 * simulator of the Quipu that runs on QUIPU_DATA_DIR, and the same build.
 */
const { createLog } = await built<typeof import('../../src/app/log.ts')>('src/app/log');
const { openDatabase } = await built<typeof import('../../src/app/database.ts')>('src/app/database');
const { withKeySecret } = await built<typeof import('../../src/app/data-folder.ts')>('src/app/data-folder');
const { servicesOf, sourcesOf } = await built<typeof import('../../src/app/sources.ts')>('src/app/sources');
const { createMetering } = await built<typeof import('../../src/metering/metering.ts')>('src/metering/metering');
const { createContextFor } = await built<typeof import('../../src/metering/request-context.ts')>('src/metering/request-context');
const { processConfig } = await built<typeof import('../../src/config.ts')>('src/config');
const { attachOrStart } = await built<typeof import('../../src/db/embedded.ts')>('src/db/embedded');
const { MODULES } = await built<typeof import('../../src/domain/catalogue.ts')>('src/domain/catalogue');
const { buildSchema } = await built<typeof import('../../src/graphql/schema.ts')>('src/graphql/schema');
const { createLoaders } = await built<typeof import('../../src/loaders/loader.ts')>('src/loaders/loader');
const { createRows } = await built<typeof import('../../src/loaders/rows.ts')>('src/loaders/rows');
const { modules } = await built<typeof import('../../src/modules/index.ts')>('src/modules/index');
const { findSandbox } = await built<typeof import('../../sandbox/server/address.ts')>('sandbox/server/address');
const { createServer } = await built<typeof import('../../src/server/http.ts')>('src/server/http');

const config = await withKeySecret(processConfig());
const log = createLog(config);
const { db } = await openDatabase(config, log, (dataDir) => attachOrStart(dataDir, { log }));
const sandbox = await findSandbox(config.dataDir);
if (sandbox === null) throw new Error(`no simulator runs on ${config.dataDir}`);
const parts = { db, log, now: Date.now, random: Math.random, sandbox };
const sources = sourcesOf(config, parts);
await Promise.all(sources.copies.map((copy) => copy.refresh()));

const loaders = createLoaders(sources.use, Date.now);
const rows = createRows(parts);
const { open } = servicesOf(config, { ...parts, use: sources.use, loaders, rows });
const metering = await createMetering({
  ...config,
  plans: { standard: { compliance_br: { rate: null } } },
  db,
  executionShare: () => 1,
  now: Date.now,
  log,
});
const caller: Caller = {
  keyId: 'bench',
  accountId: 'bench',
  name: 'bench',
  modules: new Set(MODULES),
  role: 'administer',
  needsApproval: false,
  plan: 'standard',
  expiresAt: null,
  trustedOnly: false,
  lists: { answers: [], verdicts: [] },
  failsIncomplete: false,
  secretHash: '',
};
const server = await createServer({
  schema: buildSchema(modules.flatMap((module) => module.resolvers)),
  prepareOperation: async () => [],
  validator: { validate: () => [], isCached: () => false },
  trustedOnly: false,
  deadlineMs: config.deadlineMs,
  routes: modules.flatMap((module) => module.routes),
  authenticator: { authenticate: async () => caller, known: () => caller, stillValid: async () => new Map() },
  allowedOrigins: [],
  idempotency: metering.idempotency,
  executions: metering.executions,
  contextFor: createContextFor({
    ...metering,
    usage: { record: async () => undefined, voidRecords: () => undefined },
    loaders,
    open,
    rows,
    sources: () => sources.report(),
    sourceHours: async () => [],
    now: Date.now,
  }),
  readiness: {
    migrated: () => true,
    database: () => ({ isAvailable: true, respondedMsAgo: 0, failedMsAgo: Number.POSITIVE_INFINITY }),
    listsTried: () => true,
    jobsRun: () => true,
    notes: () => [],
    schemaProblem: null,
  },
  log,
});
await server.listen({ host: config.host, port: config.port });
