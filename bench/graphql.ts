import path from 'node:path';
import {
  BY_HAND,
  bareStringify,
  byHand,
  fillCaches,
  prepare,
  QUIPU,
  quipu,
  STRINGIFY,
  startShared,
  UNCOUNTED,
  uncountedApollo,
} from './compliance/contenders.ts';
import { complianceOf, MOMENTS } from './compliance/questions.ts';
import { type Bench, BenchFailure, type Claim, type Ratio, type Report } from './harness/bench.ts';
import { compare, descriptionsOf, type RatioPlan, startAll } from './harness/contender.ts';
import { describeMachine, findPinning } from './harness/machine.ts';
import { placementsOf } from './harness/placement.ts';
import { onStage } from './harness/stage.ts';
import { ratioOf } from './harness/statistics.ts';
import { renderReport } from './harness/table.ts';
import { TARGETS } from './targets.ts';

/*
 * The contenders are those that a user could choose instead. Left out are rows that nobody would choose:
 *
 * - Mercurius, GraphQL Yoga and our schema on a stock Apollo Server, without key, limit, log and usage. A service that is paid by the answer
 *   needs these, so one such row is enough to show their cost: the hand-written Apollo Server, which is the usual way to begin.
 * - Quipu executed by graphql-js. The setting exists to find faults of the compiled executor, and is slower.
 * - The hand-written Apollo Server for 500 companies, which takes it more than a second: nobody would choose it for such lists.
 * - A handler that sends prepared bytes. It measured the load generator, and nobody has the bytes of an answer before its request.
 */

const [FEW, MANY] = [50, 500];
/** Number of companies → the ratios and their targets. */
const RATIOS: Readonly<Record<number, readonly RatioPlan[]>> = {
  1: [
    { of: QUIPU, to: BY_HAND, target: TARGETS.oneByHand.target },
    { of: QUIPU, to: UNCOUNTED, target: TARGETS.oneUncounted.target },
    { of: QUIPU, to: STRINGIFY },
  ],
  [FEW]: [
    { of: QUIPU, to: BY_HAND, target: TARGETS.fewByHand.target },
    { of: QUIPU, to: UNCOUNTED, target: TARGETS.fewUncounted.target },
    { of: QUIPU, to: STRINGIFY, target: TARGETS.fewBare.target },
  ],
  [MANY]: [BY_HAND, STRINGIFY].map((to) => ({ of: QUIPU, to })),
};

export const graphql: Bench = {
  name: 'graphql',
  description:
    'the compliance query for 1, 50 and 500 companies, caches warm, against the same work by hand, an Apollo Server that counts nothing and a bare handler',
  async run(options, progress) {
    const pinning = findPinning();
    const machine = describeMachine(pinning);
    const placements = placementsOf(pinning);
    return onStage(pinning, async (stage) => {
      const shared = await startShared(stage);
      // An entry added here compares another server.
      const executing = await startAll(stage, [quipu(shared), byHand(shared), uncountedApollo(shared)], progress);
      const preparedDir = path.join(stage.dir, 'prepared');
      progress('filling the caches');
      await fillCaches(MANY, executing);
      const sizes = [1, FEW, MANY];
      const [ours] = executing;
      if (ours) await prepare(sizes.map(complianceOf), ours, preparedDir);
      const all = [...executing, ...(await startAll(stage, [bareStringify(preparedDir)], progress))];

      const inTime = all.filter(({ contender }) => contender.name !== UNCOUNTED);
      const claims: Claim[] = [];
      for (const size of sizes) {
        const comparison = { options, placements, ignored: MOMENTS, ratios: RATIOS[size] ?? [], progress };
        claims.push(await compare(complianceOf(size), size === MANY ? inTime : all, comparison));
      }
      const ratios = [timePerCompany(claims)];
      const report: Report = { bench: 'graphql', machine, options, contenders: descriptionsOf(all), claims, ratios };
      return { report, text: renderReport(report) };
    });
  },
};

/** Divides the cost of a company in a large list by that in a smaller list. */
function timePerCompany([, few, many]: readonly Claim[]): Ratio {
  const secondsOf = (claim: Claim | undefined, companies: number): readonly number[] => {
    const found = claim?.measured.find(({ name }) => name === QUIPU);
    if (!found) throw new BenchFailure(`${QUIPU} was not measured`);
    return found.runs.map(({ requestsPerSecond }) => 1 / requestsPerSecond / companies);
  };
  return {
    of: `${QUIPU}, time per company of ${MANY}`,
    to: `time per company of ${FEW}`,
    ratio: ratioOf(secondsOf(many, MANY), secondsOf(few, FEW)),
  };
}
