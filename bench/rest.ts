import { randomBytes } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { companyByScenario } from '../sandbox/world/brazil/world.ts';
import { newKey } from '../src/auth/api-keys/secret.ts';
import { send } from './harness/answers.ts';
import type { Bench, Claim, Report } from './harness/bench.ts';
import {
  type Contender,
  compare,
  descriptionsOf,
  executingAtOnce,
  type Question,
  type Started,
  startAll,
  targetOf,
} from './harness/contender.ts';
import { describeMachine, findPinning } from './harness/machine.ts';
import { onStage } from './harness/stage.ts';
import { renderReport } from './harness/table.ts';

const QUIPU = 'quipu';
const FULL_PATH = 'quipu, full path';
const BARE = 'bare Node handler';
/** A rate limit that is checked for every request and never reached. */
const PLANS = '{"standard":{"compliance_br":{"rate":{"perMinute":1000000,"burst":1000000}}}}';
/** Fields with the time of the request. */
const MOMENTS: ReadonlySet<string> = new Set(['generated_at', 'checked_at']);
/** Numbers of connections of the consolidated check. With few of them a request waits for a commit that few others share. */
const CONNECTIONS = [8, 64, 256];
/** Number of connections of the single checks. */
const SINGLE_CONNECTIONS = 64;

const { cnpj } = companyByScenario('clean');
const consolidated: Question = { name: 'compliance-br', title: 'POST /v1/compliance-br', body: JSON.stringify({ cnpj }) };
const single = ['kyb', 'owners', 'debarment', 'sanctions', 'labor'].map(
  (name): Question => ({ name, title: `POST /v1/${name}`, body: JSON.stringify({ identifier: cnpj, country: 'BR' }) }),
);
const questions = [consolidated, ...single];

/** Returns Quipu as shipped, with its own data folder. */
function quipu(dataDir: string): Contender {
  const key = newKey(randomBytes);
  return {
    name: QUIPU,
    what: 'our server as shipped: API key, rate limit, each answer counted in Postgres before it is sent, log at its default level',
    script: 'dist/src/main.js',
    env: { QUIPU_DATA_DIR: dataDir, QUIPU_SOURCES: 'sandbox', QUIPU_BOOTSTRAP_KEY: key, QUIPU_PLANS: PLANS },
    readyPath: '/readyz',
    headers: { 'x-api-key': key },
    pathOf: ({ name }) => `/v1/${name}`,
  };
}

/** Returns the same server with requests that take the full path, because their content type names its charset. */
const onFullPath = ({ contender, server }: Started): Started => ({
  server,
  contender: {
    ...contender,
    name: FULL_PATH,
    what: 'the same server; the content type of the requests names a charset, so that they take the full path',
    headers: { ...contender.headers, 'content-type': 'application/json;charset=utf-8' },
  },
});

const bareHandler = (preparedDir: string): Contender => ({
  name: BARE,
  what: 'node:http that reads and parses the body, and stringifies the same answer; no key, no limit, no count, no log',
  script: 'bench/servers/bare-stringify.ts',
  env: { BENCH_PREPARED_DIR: preparedDir },
  readyPath: '/',
  headers: {},
  pathOf: ({ name }) => `/${name}`,
});

export const rest: Bench = {
  name: 'rest',
  description: 'the REST checks of one company, caches warm, against a bare Node handler that stringifies the same answers',
  async run(options, progress) {
    const pinning = findPinning();
    const machine = describeMachine(pinning);
    return onStage(pinning, async (stage) => {
      const preparedDir = path.join(stage.dir, 'prepared');
      await mkdir(preparedDir);
      const shipped = await startAll(stage, [executingAtOnce(quipu(path.join(stage.dir, 'data')), Math.max(...CONNECTIONS))], progress);
      for (const question of questions)
        for (const { request } of shipped.map(targetOf(question))) {
          await send(request);
          await writeFile(path.join(preparedDir, `${question.name}.json`), await send(request));
        }
      const all = [...shipped, ...shipped.map(onFullPath), ...(await startAll(stage, [bareHandler(preparedDir)], progress))];

      const measure = ({ title, ...question }: Question, connections: number): Promise<Claim> =>
        compare({ ...question, title: `${title}, ${connections} connections` }, all, {
          options: { ...options, connections },
          prefix: pinning.load,
          ignored: MOMENTS,
          ratios: [
            [QUIPU, FULL_PATH],
            [QUIPU, BARE],
          ],
          progress,
        });
      const claims: Claim[] = [];
      for (const connections of CONNECTIONS) claims.push(await measure(consolidated, connections));
      for (const question of single) claims.push(await measure(question, SINGLE_CONNECTIONS));
      const report: Report = { bench: 'rest', machine, options, contenders: descriptionsOf(all), claims };
      return { report, text: renderReport(report) };
    });
  },
};
