import type { Knex } from 'knex';
import type { Logger } from 'pino';
import type { Authenticator } from '../auth/authenticate.ts';
import type { SignIn } from '../auth/sign-in/sign-in.ts';
import { createDocuments, documentHash } from '../auth/trusted-documents.ts';
import type { CacheMemory } from '../cache/memory.ts';
import type { SharedLimits } from '../cache/shared-limits.ts';
import type { Config } from '../config.ts';
import type { DatabaseWatch } from '../db/watch.ts';
import type { Clock } from '../domain/time.ts';
import { createCompiledExecutor } from '../graphql/compiled/executor.ts';
import { createOperationValidator } from '../graphql/limits/validate-operation.ts';
import { buildSchema } from '../graphql/schema.ts';
import { TOOLS } from '../mcp/tools.ts';
import type { Metering } from '../metering/metering.ts';
import type { ContextFor } from '../metering/request-context.ts';
import { modules, resolvers } from '../modules/index.ts';
import type { Observer } from '../observer.ts';
import { coreRoutes } from '../rest/account-routes.ts';
import { createPrepareOperation } from '../server/graphql/prepare-operation.ts';
import { createStatus, type Readiness } from '../server/health.ts';
import { createServer, type ServerParts } from '../server/http.ts';
import { instrumentFields } from '../server/telemetry/instrument.ts';
import type { Open } from '../service.ts';
import type { Sources } from '../sources/build.ts';

/** The parts that the HTTP server uses. */
export interface HttpParts {
  readonly now: Clock;
  readonly log: Logger;
  readonly database: DatabaseWatch<boolean>;
  readonly callerDb: Knex;
  readonly observer: Observer | undefined;
  readonly limits: SharedLimits | undefined;
  readonly metering: Metering;
  readonly authenticator: Authenticator;
  readonly signIn: SignIn | null;
  readonly memory: CacheMemory;
  readonly contextFor: ContextFor;
  readonly sources: Sources['report'];
  readonly open: Open;
  readonly readiness: Pick<Readiness, 'listsTried' | 'notes' | 'schemaProblem'>;
  readonly jobsRun: () => boolean;
  readonly controlSandbox: ServerParts['controlSandbox'];
  readonly shortPath: boolean;
}

/** Creates the HTTP server over the modules' resolvers and routes. */
export function httpOf(
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
    signIn,
    memory,
    contextFor,
    sources,
    open,
    readiness,
    jobsRun,
    controlSandbox,
    shortPath,
  }: HttpParts,
) {
  const schema = buildSchema(resolvers, config);
  if (observer) instrumentFields(schema, observer);
  const documents = createDocuments({ db: callerDb, now });
  const validator = createOperationValidator(schema, config);
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
      validate: validator.validate,
      documents: { find: async (hash) => TOOL_DOCUMENTS.get(hash) ?? documents.find(hash) },
      trustedOnly,
    }),
    validator,
    trustedOnly,
    routes: [...coreRoutes, ...modules.flatMap((module) => module.routes)],
    publicDocuments: { ...publicDocumentsOf(open), '/status.json': createStatus(sources, now) },
    publicPages: modules.flatMap(({ publicPages = [] }) => publicPages),
    open,
    authenticator,
    signIn: { signIn, rateLimiter: metering.rateLimiter },
    readiness: { ...readiness, migrated: database.last, database: database.state, jobsRun },
    controlSandbox,
    shortPath,
  });
}

/** The documents of the tools of agents, by hash. Every key may run them. */
const TOOL_DOCUMENTS: ReadonlyMap<string, string> = new Map(TOOLS.map(({ document }) => [documentHash(document), document]));

/** Returns the public documents of all modules. */
const publicDocumentsOf = (open: Open): Readonly<Record<string, () => Promise<unknown>>> =>
  Object.fromEntries(
    modules.flatMap(({ publicDocuments = {} }) => Object.entries(publicDocuments)).map(([path, read]) => [path, () => read(open)]),
  );
