import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { send } from '../harness/answers.ts';
import { BenchFailure } from '../harness/bench.ts';
import { type Contender, type Question, type Started, targetOf } from '../harness/contender.ts';
import type { LoadRequest } from '../harness/load.ts';
import type { Stage } from '../harness/stage.ts';
import { piecesOf, requireWhole } from './questions.ts';

export const QUIPU = 'quipu';
export const BY_HAND = 'same work by hand';
export const UNCOUNTED = 'hand-written Apollo Server, counts nothing';
export const STRINGIFY = 'bare Node, stringifies';

/** Plan with limits that the load generator cannot reach. */
const UNLIMITED = '{"standard":{"compliance_br":{"rate":null},"graphql":{"ceiling":1000000,"perMinute":1000000000,"burst":1000000000}}}';

const WARM_UP_ATTEMPTS = 10;

/** The folder that the servers over our sources share. Quipu runs on it, and the others use its database and its lists. */
export interface Shared {
  readonly dataDir: string;
  /** Base URL of the registry of the bench, which also knows made-up companies. */
  readonly registryUrl: string;
}

/** Starts the registry of the benchmark, on any CPU, because measured requests do not read it. */
export async function startShared(stage: Stage, folder = 'data'): Promise<Shared> {
  const registry = await stage.start({ name: 'registry', script: 'bench/servers/registry.ts', env: {}, readyPath: '/updated' }, []);
  return { dataDir: path.join(stage.dir, folder), registryUrl: registry.url };
}

const environment = ({ dataDir, registryUrl }: Shared) => ({
  QUIPU_DATA_DIR: dataDir,
  QUIPU_SOURCES: 'sandbox',
  QUIPU_RECEITA_URL: registryUrl,
});

/** Creates a key that a server uses as its bootstrap key. */
export const newBootstrapKey = (): string => `sk_${randomBytes(24).toString('hex')}`;

/**
 * Creates a second key of the running server, as an operator would.
 * @param settings of the server, beside its data folder
 * @param options of `quipu keys create`
 * @throws BenchFailure
 */
export function createOtherKey({ dataDir }: Shared, settings: Readonly<Record<string, string>> = {}, ...options: string[]): string {
  const root = path.resolve(import.meta.dirname, '../..');
  const args = ['dist/src/cli.js', 'keys', 'create', '--name', 'lists', '--modules', 'all', ...options];
  const env = { ...process.env, QUIPU_DATA_DIR: dataDir, QUIPU_SOURCES: 'sandbox', ...settings };
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: root, env, encoding: 'utf8' });
  const [key] = /\bsk_\w+/.exec(stdout) ?? [];
  if (!key) throw new BenchFailure(`no second key was created: ${stderr || stdout}`);
  return key;
}

/** Returns Quipu as shipped. */
export function quipu(shared: Shared, key = newBootstrapKey()): Contender {
  return {
    name: QUIPU,
    what: 'our server as shipped: `dist/src/main.js`, embedded Postgres, an API key on every request, every check counted before the answer is sent, log at its default level',
    script: 'dist/src/main.js',
    env: { ...environment(shared), QUIPU_BOOTSTRAP_KEY: key, QUIPU_PLANS: UNLIMITED },
    readyPath: '/readyz',
    headers: { 'x-api-key': key },
    pathOf: () => '/graphql',
  };
}

/** Returns the server that one would write for this query instead, with the same metering. */
export function byHand(shared: Shared): Contender {
  const key = newBootstrapKey();
  return {
    name: BY_HAND,
    what: 'what one would write for this query instead: Mercurius with jit, a schema of exactly these fields, resolvers, a DataLoader and an LRU cache for each source, over the same sources; a key by SHA-256 that is cached for 4 s, `@fastify/rate-limit`, a line of log, and a usage row for each request, which is committed to the same Postgres before the answer is sent',
    script: 'bench/servers/hand-written-metered-mercurius.ts',
    env: { ...environment(shared), BENCH_KEY: key },
    readyPath: '/',
    headers: { 'x-api-key': key },
    pathOf: () => '/graphql',
  };
}

export const uncountedApollo = (shared: Shared): Contender => ({
  name: UNCOUNTED,
  what: 'the same schema, resolvers and caches on `startStandaloneServer` of `@apollo/server`; no key, limits, count or log',
  script: 'bench/servers/hand-written-apollo.ts',
  env: environment(shared),
  readyPath: '/',
  headers: {},
  pathOf: () => '/',
});

/** Returns the bare handler, which answers from the files of `prepare`. */
export const bareStringify = (preparedDir: string): Contender => ({
  name: STRINGIFY,
  what: 'an HTTP handler of Node that parses the request and stringifies the same answer, which it has as objects',
  script: 'bench/servers/bare-stringify.ts',
  env: { BENCH_PREPARED_DIR: preparedDir },
  readyPath: '/',
  headers: {},
  pathOf: (question) => `/${question.name}`,
});

/** Fills every cache with the companies of the largest question. */
export async function fillCaches(companies: number, started: readonly Started[]): Promise<void> {
  for (const piece of piecesOf(companies)) for (const { request } of started.map(targetOf(piece))) await warmUp(request);
}

/** Stores the answers of a contender, whose cache is full, in `preparedDir`, for the bare handlers. */
export async function prepare(questions: readonly Question[], from: Started, preparedDir: string): Promise<void> {
  await mkdir(preparedDir);
  for (const question of questions) {
    const { request } = targetOf(question)(from);
    await writeFile(path.join(preparedDir, `${question.name}.json`), await warmUp(request));
  }
}

/**
 * Repeats a request until its answer is complete, and once more, so that the answer is from the cache. A large list may reach a time limit
 * while nothing is cached. @throws BenchFailure
 */
export async function warmUp(request: LoadRequest): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      requireWhole(await send(request));
      return requireWhole(await send(request));
    } catch (error) {
      if (attempt === WARM_UP_ATTEMPTS) throw error;
      await delay(1_000);
    }
  }
}
