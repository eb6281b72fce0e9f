import path from 'node:path';
import { consolidated, MOMENTS, quipu } from './checks/contenders.ts';
import { send } from './harness/answers.ts';
import type { Bench, Claim, Report } from './harness/bench.ts';
import { type Contender, compare, descriptionsOf, executingAtOnce, type Started, startAll, targetOf } from './harness/contender.ts';
import { cpusOf, describeMachine, findPinning, type Pinning } from './harness/machine.ts';
import { placementsOf } from './harness/placement.ts';
import { onStage } from './harness/stage.ts';
import { renderReport } from './harness/table.ts';

const [ONE, TWO] = ['one process', 'two workers'];
const WORKERS = 2;
/** Numbers of connections. The kernel gives a connection to one of the workers, so a few of them may all have the same one. */
const CONNECTIONS = [64, 256];
/** Requests that are sent before the rounds, each on a connection of its own, so that the caches of all workers are full. */
const WARM_UP = 40;

/** Returns Quipu with its own data folder. Each worker of several has its share of the executions of a key, so twice as many are allowed. */
function quipuWith(name: string, workers: number, dataDir: string): Contender {
  const shipped = executingAtOnce(quipu(dataDir), WORKERS * Math.max(...CONNECTIONS));
  return { ...shipped, name, what: `\`npm start -- --workers ${workers}\`: ${shipped.what}`, args: ['--workers', String(workers)] };
}

/**
 * If there are enough CPUs, the servers have all but one, and the load generator has that one. Otherwise all share the CPUs: the
 * generator then takes CPU time from the servers, which the column *generator busy* tells.
 */
function spreadOver(pinning: Pinning): Pinning {
  const cpus = pinning.cpus ? cpusOf(pinning.cpus.all) : [];
  const note = `not pinned: server processes, Postgres and load generator share ${cpus.length || 'the'} CPUs`;
  if (cpus.length <= WORKERS) return { server: [], load: [], note };
  const [servers, load] = [cpus.slice(0, -1).join(','), cpus.slice(-1).join(',')];
  const on = (list: string) => ['taskset', '--cpu-list', list];
  return { server: on(servers), load: on(load), note: `servers and Postgres on CPUs ${servers}, load generator on CPU ${load}` };
}

export const workers: Bench = {
  name: 'workers',
  description: `the consolidated check of ${WORKERS} server processes on one port, against one process`,
  async run(options, progress) {
    const pinning = spreadOver(findPinning());
    const machine = describeMachine(pinning);
    return onStage(pinning, async (stage) => {
      const contenders = [quipuWith(ONE, 1, path.join(stage.dir, 'one')), quipuWith(TWO, WORKERS, path.join(stage.dir, 'two'))];
      const all = await startAll(stage, contenders, progress);
      for (const started of all) await fillCaches(started);
      const claims: Claim[] = [];
      for (const connections of CONNECTIONS) {
        const question = { ...consolidated, title: `${consolidated.title}, ${connections} connections` };
        claims.push(
          await compare(question, all, {
            options: { ...options, connections },
            placements: placementsOf(pinning),
            ignored: MOMENTS,
            ratios: [{ of: TWO, to: ONE }],
            progress,
          }),
        );
      }
      const report: Report = { bench: 'workers', machine, options, contenders: descriptionsOf(all), claims };
      return { report, text: renderReport(report) };
    });
  },
};

async function fillCaches(started: Started): Promise<void> {
  const { request } = targetOf(consolidated)(started);
  const alone = { ...request, headers: { ...request.headers, connection: 'close' } };
  await Promise.all(Array.from({ length: WARM_UP }, () => send(alone)));
}
