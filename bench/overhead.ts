import path from 'node:path';
import { consolidated, MOMENTS, QUIPU, quipu } from './checks/contenders.ts';
import { send } from './harness/answers.ts';
import type { Bench, Report } from './harness/bench.ts';
import { type Contender, compare, descriptionsOf, executingAtOnce, startAll, targetOf } from './harness/contender.ts';
import { describeMachine, findPinning } from './harness/machine.ts';
import { placementsOf } from './harness/placement.ts';
import { onStage } from './harness/stage.ts';
import { renderReport } from './harness/table.ts';

const FREE = 'no access control';
/**
 * Number of connections. With fewer, the run would measure the latency of writes to the journal, because responses wait for a shared write,
 * and not their cost.
 */
const CONNECTIONS = 256;

const question = { ...consolidated, title: `${consolidated.title}, caches warm` };

const free = (dataDir: string): Contender => ({
  name: FREE,
  what: 'the same server and handler over the same database: any key opens, no limit, no count',
  script: 'bench/servers/free-rest.ts',
  env: { QUIPU_DATA_DIR: dataDir, QUIPU_SOURCES: 'sandbox' },
  readyPath: '/healthz',
  headers: { 'x-api-key': 'sk_any' },
  pathOf: ({ name }) => `/v1/${name}`,
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
      // Without these limits, the servers would refuse some requests. A refusal ends the benchmark.
      const contenders = [quipu(dataDir), free(dataDir)].map((one) => executingAtOnce(one, options.connections));
      const all = await startAll(stage, contenders, progress);
      for (const { request } of all.map(targetOf(question))) await send(request);
      const placements = placementsOf(pinning);
      const claim = await compare(question, all, { options, placements, ignored: MOMENTS, ratios: [{ of: QUIPU, to: FREE }], progress });
      const report: Report = { bench: 'overhead', machine, options, contenders: descriptionsOf(all), claims: [claim] };
      return { report, text: renderReport(report) };
    });
  },
};
