import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { companies } from '../src/sandbox/world/brazil/world.ts';
import { send } from './harness/answers.ts';
import { type Bench, BenchFailure, type Claim, type Report } from './harness/bench.ts';
import { type Contender, compare, type Question, type Started, startAll, targetOf } from './harness/contender.ts';
import { describeMachine, findPinning } from './harness/machine.ts';
import { onStage } from './harness/stage.ts';
import { renderReport } from './harness/table.ts';

const FRESHNESS = 'freshness { fetchedAt dataAsOf cached stale expiresAt }';
const COMPLIANCE = `
  identifier
  compliance {
    riskLevel
    riskReasons { code check severity message }
    checks {
      kyb { companyName status verified foundedYear endDate registration isBranch specialSituation source ${FRESHNESS} }
      owners { companyName count owners { name role entityType identifier entryDate country legalRepName legalRepRole } source ${FRESHNESS} }
      debarment {
        isDebarred
        records { source sanctionType sanctioningBody dateStart dateEnd processId fineAmount status matchedOn cnpj }
        sourcesChecked ${FRESHNESS}
      }
      sanctions {
        isSanctioned
        matches { list entityId entryName matchedOn matchedIdType matchedIdValue programs }
        sourcesChecked lists { list publishedOn loadedAt entries checksum } ${FRESHNESS}
      }
      labor {
        hasViolations
        records { source employer year workersRescued state municipality activity establishment listedOn removedOn status matchedOn }
        sourcesChecked ${FRESHNESS}
      }
    }
    sourcesFailed
    completeness
    generatedAt
  }`;

/** Fields that depend on the time of the request or of the load of a list, which comparisons ignore. */
const MOMENTS: ReadonlySet<string> = new Set(['extensions', 'generatedAt', 'fetchedAt', 'expiresAt', 'loadedAt']);
const COMPANIES = 50;

/** The same query for one company and for many of the sandbox. */
function makeQuestions(): readonly Question[] {
  const identifiers = companies
    .filter(({ knownTo }) => knownTo === 'both')
    .slice(0, COMPANIES)
    .map(({ cnpj }) => cnpj);
  if (identifiers.length < COMPANIES) throw new BenchFailure(`the sandbox has only ${identifiers.length} companies`);
  const one = { query: `query One($identifier: String!) { company(identifier: $identifier) {${COMPLIANCE}} }` };
  const many = { query: `query Many($identifiers: [String!]!) { companies(identifiers: $identifiers) {${COMPLIANCE}} }` };
  return [
    { name: 'one', title: '1 company', body: JSON.stringify({ ...one, variables: { identifier: identifiers[0] } }) },
    { name: 'many', title: `${COMPANIES} companies`, body: JSON.stringify({ ...many, variables: { identifiers } }) },
  ];
}

const QUIPU = 'quipu';
const GRAPHQL_JS = 'quipu, executed by graphql-js';
const STOCK = 'stock Apollo Server';
const HAND_WRITTEN = 'hand-written Apollo Server';
const BARE = 'bare Fastify';

/** Plan with limits that the load generator cannot reach. */
const UNLIMITED = '{"standard":{"compliance_br":{"rate":null},"graphql":{"perMinute":1000000000,"burst":1000000000}}}';

/** Quipu as shipped, with its own data folder. */
function quipu(dataDir: string): Contender {
  const key = `sk_${randomBytes(24).toString('hex')}`;
  return {
    name: QUIPU,
    what: 'our server as shipped: dist/src/main.js, sandbox sources, embedded Postgres, API key, every check counted, log at its default level',
    script: 'dist/src/main.js',
    env: { QUIPU_DATA_DIR: dataDir, QUIPU_SOURCES: 'sandbox', QUIPU_BOOTSTRAP_KEY: key, QUIPU_PLANS: UNLIMITED },
    readyPath: '/readyz',
    headers: { 'x-api-key': key },
    pathOf: () => '/graphql',
  };
}

/** The same with a data folder of its own, without the compiled executor. */
function graphqlJs(dataDir: string): Contender {
  const shipped = quipu(dataDir);
  return {
    ...shipped,
    name: GRAPHQL_JS,
    what: 'the same with QUIPU_COMPILED_EXECUTOR=false',
    env: { ...shipped.env, QUIPU_COMPILED_EXECUTOR: 'false' },
  };
}

const handWritten = (dataDir: string): Contender => ({
  ...stockApollo(dataDir),
  name: HAND_WRITTEN,
  what: 'what one would write for this query: its own schema, resolvers, DataLoaders and LRU caches over the same sources; no key, no log',
  script: 'bench/servers/hand-written-apollo.ts',
});

const stockApollo = (dataDir: string): Contender => ({
  name: STOCK,
  what: 'the same schema, loaders, database and simulator on @apollo/server startStandaloneServer; no key, no log',
  script: 'bench/servers/stock-apollo.ts',
  env: { QUIPU_DATA_DIR: dataDir, QUIPU_SOURCES: 'sandbox' },
  readyPath: '/',
  headers: {},
  pathOf: () => '/',
});

const bareFastify = (preparedDir: string): Contender => ({
  name: BARE,
  what: 'the floor: a Fastify handler that sends the same JSON, prepared in advance',
  script: 'bench/servers/bare-fastify.ts',
  env: { BENCH_PREPARED_DIR: preparedDir },
  readyPath: '/',
  headers: {},
  pathOf: ({ name }) => `/${name}`,
});

/** Fills every cache with two requests and stores the first contender's responses for the bare Fastify baseline. */
async function prepare(questions: readonly Question[], started: readonly Started[], preparedDir: string): Promise<void> {
  await mkdir(preparedDir);
  for (const question of questions) {
    const warm: string[] = [];
    for (const { request } of started.map(targetOf(question))) {
      await send(request);
      warm.push(await send(request));
    }
    await writeFile(path.join(preparedDir, `${question.name}.json`), requireWhole(warm[0] ?? ''));
  }
}

interface Asked {
  readonly compliance: { readonly completeness: string } | null;
}

/** Rejects responses with failures, because comparing them is meaningless. @throws BenchFailure when a source failed or a field is in error */
function requireWhole(answer: string): string {
  const { errors, data } = JSON.parse(answer) as { errors?: unknown; data?: { company?: Asked; companies?: readonly Asked[] } };
  const asked = data?.companies ?? [data?.company];
  const whole = errors === undefined && asked.every((company) => company?.compliance?.completeness === 'COMPLETE');
  if (!whole) throw new BenchFailure(`an answer is not complete: ${answer.slice(0, 1_000)}`);
  return answer;
}

export const graphql: Bench = {
  name: 'graphql',
  description:
    'the compliance query for 1 and 50 companies, caches warm, against Apollo Server, stock and hand-written, and a bare handler',
  async run(options, progress) {
    const pinning = findPinning();
    const machine = describeMachine(pinning);
    const questions = makeQuestions();
    return onStage(pinning, async (stage) => {
      const dataDir = path.join(stage.dir, 'data');
      const preparedDir = path.join(stage.dir, 'prepared');
      // To compare another executor, add an entry here.
      const contenders = [quipu(dataDir), graphqlJs(path.join(stage.dir, 'graphql-js')), stockApollo(dataDir), handWritten(dataDir)];
      const executing = await startAll(stage, contenders, progress);
      await prepare(questions, executing, preparedDir);
      const all = [...executing, ...(await startAll(stage, [bareFastify(preparedDir)], progress))];

      const ratios = executing.slice(1).map(({ contender }) => [QUIPU, contender.name] as const);
      const comparison = { options, prefix: pinning.load, ignored: MOMENTS, ratios: [...ratios, [BARE, QUIPU] as const], progress };
      const claims: Claim[] = [];
      for (const question of questions) claims.push(await compare(question, all, comparison));
      const descriptions = Object.fromEntries(all.map(({ contender: { name, what } }) => [name, what]));
      const report: Report = { bench: 'graphql', machine, options, contenders: descriptions, claims };
      return { report, text: renderReport(report) };
    });
  },
};
