import { randomUUID } from 'node:crypto';
import { ApolloServer } from '@apollo/server';
import { startStandaloneServer } from '@apollo/server/standalone';
import type { Caller, RequestContext } from '../../src/context.ts';
import { built } from '../harness/built.ts';

/**
 * Baseline: Quipu's schema, loaders and context on Apollo Server, set up as in its documentation (default executor and settings; no
 * Fastify, key check, limits, usage records or log). It uses the database and the simulator of the Quipu that runs on QUIPU_DATA_DIR. It
 * runs the output of `npm run build` like the shipped server, because code that a transpiler (tsx) loads at run time is slower, which
 * would favour Quipu.
 */
const { createLog } = await built<typeof import('../../src/app/log.ts')>('src/app/log');
const { openDatabase } = await built<typeof import('../../src/app/database.ts')>('src/app/database');
const { withKeySecret } = await built<typeof import('../../src/app/data-folder.ts')>('src/app/data-folder');
const { servicesOf, sourcesOf } = await built<typeof import('../../src/app/sources.ts')>('src/app/sources');
const { createContextFor } = await built<typeof import('../../src/metering/request-context.ts')>('src/metering/request-context');
const { createPlans } = await built<typeof import('../../src/metering/plans.ts')>('src/metering/plans');
const { createRateLimiter } = await built<typeof import('../../src/metering/rate-limit.ts')>('src/metering/rate-limit');
const { processConfig } = await built<typeof import('../../src/config.ts')>('src/config');
const { attachOrStart } = await built<typeof import('../../src/db/embedded.ts')>('src/db/embedded');
const { MODULES } = await built<typeof import('../../src/domain/catalogue.ts')>('src/domain/catalogue');
const { buildSchema } = await built<typeof import('../../src/graphql/schema.ts')>('src/graphql/schema');
const { createLoaders } = await built<typeof import('../../src/loaders/loader.ts')>('src/loaders/loader');
const { createRows } = await built<typeof import('../../src/loaders/rows.ts')>('src/loaders/rows');
const { modules } = await built<typeof import('../../src/modules/index.ts')>('src/modules/index');
const { findSandbox } = await built<typeof import('../../sandbox/server/address.ts')>('sandbox/server/address');

const config = await withKeySecret(processConfig());
const log = createLog({ logLevel: 'warn' });
const { db } = await openDatabase(config, log, (dataDir) => attachOrStart(dataDir, { log }));
const sandbox = await findSandbox(config.dataDir);
if (sandbox === null) throw new Error(`no simulator runs on ${config.dataDir}`);
const parts = { db, log, now: Date.now, random: Math.random, sandbox };
const sources = sourcesOf(config, parts);
await Promise.all(sources.copies.map((copy) => copy.refresh()));

const loaders = createLoaders(sources.use, Date.now);
const rows = createRows(parts);
const { open } = servicesOf(config, { ...parts, use: sources.use, loaders, rows });
const contextFor = createContextFor({
  loaders,
  open,
  rows,
  sources: () => sources.report(),
  now: Date.now,
  planOf: createPlans({ standard: { compliance_br: { rate: null } } }),
  rateLimiter: createRateLimiter({ now: Date.now, log }),
  usage: { record: async () => undefined, voidRecords: () => undefined },
  usageOf: async () => [],
  executions: { run: (_, work) => work() },
});
const caller: Caller = {
  keyId: 'bench',
  accountId: 'bench',
  name: 'bench',
  modules: new Set(MODULES),
  plan: 'standard',
  expiresAt: null,
  trustedOnly: false,
  failsIncomplete: false,
  secretHash: '',
};
const schema = buildSchema(modules.flatMap((module) => module.resolvers));
await startStandaloneServer(new ApolloServer<RequestContext>({ schema }), {
  listen: { host: config.host, port: config.port },
  context: async () => contextFor(caller, randomUUID()),
});
