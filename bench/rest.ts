import path from 'node:path';
import { BARE, BY_HAND, bareHandler, byHand, consolidated, MOMENTS, prepare, QUIPU, quipu, singleChecks } from './checks/contenders.ts';
import { type Bench, BenchFailure, type Claim, type Report } from './harness/bench.ts';
import {
  type Comparison,
  compare,
  descriptionsOf,
  executingAtOnce,
  type Question,
  type RatioPlan,
  type Started,
  startAll,
} from './harness/contender.ts';
import { describeMachine, findPinning } from './harness/machine.ts';
import { placementsOf } from './harness/placement.ts';
import { onStage } from './harness/stage.ts';
import { renderReport } from './harness/table.ts';
import { TARGETS } from './targets.ts';

/*
 * A user could choose the same work by hand. The bare handler is the bound of what Node can do, and the full path shows the gain of the
 * short one, which must be a quarter. There is no other row: a server that sends prepared bytes, or counts nothing, is chosen by nobody who
 * is paid by the answer.
 */

const FULL_PATH = 'quipu, full path';
/** Numbers of connections of the consolidated check. */
const CONNECTIONS = [8, 64, 256];
/** Number of connections of the single checks. */
const SINGLE_CONNECTIONS = 64;

const RATIOS: readonly RatioPlan[] = [
  { of: QUIPU, to: BY_HAND, target: TARGETS.restByHand.target },
  { of: QUIPU, to: BARE, target: TARGETS.restBare.target },
];

/** Returns the same server with requests that take the full path, because their content type names its charset. */
const onFullPath = ({ contender, ...started }: Started): Started => ({
  ...started,
  contender: {
    ...contender,
    name: FULL_PATH,
    what: 'the same server; the content type of the requests names a charset, so that they take the full path',
    headers: { ...contender.headers, 'content-type': 'application/json;charset=utf-8' },
  },
});

export const rest: Bench = {
  name: 'rest',
  description: 'the REST checks of one company, caches warm, against the same work by hand and a bare handler that stringifies',
  async run(options, progress) {
    const pinning = findPinning();
    const machine = describeMachine(pinning);
    const placements = placementsOf(pinning);
    return onStage(pinning, async (stage) => {
      const [preparedDir, dataDir] = [path.join(stage.dir, 'prepared'), path.join(stage.dir, 'data')];
      // Without these limits, the server would refuse some requests of 256 connections. A refusal ends the benchmark.
      const [shipped] = await startAll(stage, [executingAtOnce(quipu(dataDir), Math.max(...CONNECTIONS))], progress);
      if (!shipped) throw new BenchFailure('no server was started');
      await prepare([consolidated, ...singleChecks], shipped, preparedDir);
      const others = await startAll(stage, [byHand(preparedDir, { QUIPU_DATA_DIR: dataDir }), bareHandler(preparedDir)], progress);
      const all = [shipped, onFullPath(shipped), ...others];

      const measure = ({ title, ...question }: Question, connections: number, of: readonly Started[], more: Partial<Comparison>) =>
        compare({ ...question, title: `${title}, ${connections} connections` }, of, {
          options: { ...options, connections },
          placements,
          ignored: MOMENTS,
          ratios: RATIOS,
          progress,
          ...more,
        });
      const claims: Claim[] = [];
      const ratios = [...RATIOS, { of: QUIPU, to: FULL_PATH }];
      for (const connections of CONNECTIONS) claims.push(await measure(consolidated, connections, all, { ratios }));
      // The single checks have no target, and one placement of them tells what the two of the consolidated check do not.
      const single = { placements: placements.slice(0, 1), ratios: RATIOS.map(({ of, to }) => ({ of, to })) };
      for (const question of singleChecks) claims.push(await measure(question, SINGLE_CONNECTIONS, [shipped, ...others], single));
      const report: Report = { bench: 'rest', machine, options, contenders: descriptionsOf(all), claims };
      return { report, text: renderReport(report) };
    });
  },
};
