import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { newKey } from '../../src/auth/api-keys/secret.ts';
import { send } from '../harness/answers.ts';
import { type Contender, type Question, type Started, targetOf } from '../harness/contender.ts';

export const QUIPU = 'quipu';
export const BY_HAND = 'same work by hand';
export const BARE = 'bare Node handler';

/** A rate limit that is checked for every request and never reached. */
export const PLANS = '{"standard":{"compliance_br":{"rate":{"perMinute":1000000,"burst":1000000}}}}';
/** Fields with the time of the request. */
export const MOMENTS: ReadonlySet<string> = new Set(['generated_at', 'checked_at']);

const { cnpj } = companyByScenario('clean');
export const consolidated: Question = { name: 'compliance-br', title: 'POST /v1/compliance-br', body: JSON.stringify({ cnpj }) };
export const singleChecks: readonly Question[] = ['kyb', 'owners', 'debarment', 'sanctions', 'labor'].map((name) => ({
  name,
  title: `POST /v1/${name}`,
  body: JSON.stringify({ identifier: cnpj, country: 'BR' }),
}));

/** Returns Quipu as shipped, with its own data folder. */
export function quipu(dataDir: string): Contender {
  const key = newKey(randomBytes);
  return {
    name: QUIPU,
    what: 'our server as shipped: API key, rate limit, each answer counted before it is sent, log at its default level',
    script: 'dist/src/main.js',
    env: { QUIPU_DATA_DIR: dataDir, QUIPU_SOURCES: 'sandbox', QUIPU_BOOTSTRAP_KEY: key, QUIPU_PLANS: PLANS },
    readyPath: '/readyz',
    headers: { 'x-api-key': key },
    pathOf: ({ name }) => `/v1/${name}`,
  };
}

/**
 * Returns the server that one would write for these checks instead, with the same metering. Its answers are the files of `prepare`.
 * @param database environment that names the database of Quipu: QUIPU_DATA_DIR or DATABASE_URL
 */
export function byHand(preparedDir: string, database: Readonly<Record<string, string>>): Contender {
  const key = newKey(randomBytes);
  return {
    name: BY_HAND,
    what: 'what one would write instead: Fastify, the answers in memory as objects, a key by SHA-256 that is cached for 4 s, `@fastify/rate-limit`, a line of log, and a usage row for each request, which is committed to the same Postgres before the answer is sent',
    script: 'bench/servers/hand-written-metered-rest.ts',
    env: { ...database, BENCH_KEY: key, BENCH_PREPARED_DIR: preparedDir, BENCH_COMPANY: cnpj },
    readyPath: '/',
    headers: { 'x-api-key': key },
    pathOf: ({ name }) => `/v1/${name}`,
  };
}

/** Returns the bare handler. Its answers are the files of `prepare`. */
export const bareHandler = (preparedDir: string): Contender => ({
  name: BARE,
  what: 'node:http that reads and parses the body, and stringifies the same answer; no key, no limit, no count, no log',
  script: 'bench/servers/bare-stringify.ts',
  env: { BENCH_PREPARED_DIR: preparedDir },
  readyPath: '/',
  headers: {},
  pathOf: ({ name }) => `/${name}`,
});

/** Fills the caches of a server with the answers to the questions, and stores the answers in `preparedDir`. */
export async function prepare(questions: readonly Question[], from: Started, preparedDir: string): Promise<void> {
  await mkdir(preparedDir);
  for (const question of questions) {
    const { request } = targetOf(question)(from);
    await send(request);
    await writeFile(`${preparedDir}/${question.name}.json`, await send(request));
  }
}
