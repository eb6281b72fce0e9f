import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { companyByScenario } from '../sandbox/world/brazil/world.ts';
import { newKey } from '../src/auth/api-keys/secret.ts';
import { send } from './harness/answers.ts';
import type { Bench, Report } from './harness/bench.ts';
import { type Contender, compare, descriptionsOf, executingAtOnce, type Question, startAll, targetOf } from './harness/contender.ts';
import { describeMachine, findPinning } from './harness/machine.ts';
import { onStage } from './harness/stage.ts';
import { renderReport } from './harness/table.ts';

const METERED = 'quipu';
const FREE = 'no access control';
/**
 * Number of connections. With fewer, the run would measure the latency of commits, because responses wait for a group commit, and not
 * their cost.
 */
const CONNECTIONS = 256;
/** A rate limit that is checked for every request and never reached. */
const PLANS = '{"standard":{"compliance_br":{"rate":{"perMinute":1000000,"burst":1000000}}}}';
const MOMENTS: ReadonlySet<string> = new Set(['generated_at']);

const question: Question = {
  name: 'check',
  title: 'POST /v1/compliance-br, caches warm',
  body: JSON.stringify({ cnpj: companyByScenario('clean').cnpj }),
};
const pathOf = () => '/v1/compliance-br';

/** Returns Quipu as shipped, with its own data folder. */
function metered(dataDir: string): Contender {
  const key = newKey(randomBytes);
  return {
    name: METERED,
    what: 'our server as shipped: key looked up, rate limit decided, each answer counted in Postgres before it is given',
    script: 'dist/src/main.js',
    env: { QUIPU_DATA_DIR: dataDir, QUIPU_SOURCES: 'sandbox', QUIPU_BOOTSTRAP_KEY: key, QUIPU_PLANS: PLANS },
    readyPath: '/readyz',
    headers: { 'x-api-key': key },
    pathOf,
  };
}

const free = (dataDir: string): Contender => ({
  name: FREE,
  what: 'the same server and handler over the same database: any key opens, no limit, no count',
  script: 'bench/servers/free-rest.ts',
  env: { QUIPU_DATA_DIR: dataDir, QUIPU_SOURCES: 'sandbox' },
  readyPath: '/healthz',
  headers: { 'x-api-key': 'sk_any' },
  pathOf,
});

export const overhead: Bench = {
  name: 'overhead',
  description: 'what key, limit and metering cost an authenticated REST request: the consolidated check with them and without',
  async run(given, progress) {
    const options = { ...given, connections: Math.max(given.connections, CONNECTIONS) };
    const pinning = findPinning();
    const machine = describeMachine(pinning);
    return onStage(pinning, async (stage) => {
      const dataDir = path.join(stage.dir, 'data');
      const contenders = [metered(dataDir), free(dataDir)].map((one) => executingAtOnce(one, options.connections));
      const all = await startAll(stage, contenders, progress);
      for (const { request } of all.map(targetOf(question))) await send(request);
      const claim = await compare(question, all, { options, prefix: pinning.load, ignored: MOMENTS, ratios: [[METERED, FREE]], progress });
      const report: Report = { bench: 'overhead', machine, options, contenders: descriptionsOf(all), claims: [claim] };
      return { report, text: renderReport(report) };
    });
  },
};
