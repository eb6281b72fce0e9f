import path from 'node:path';
import {
  BARE,
  bareFastify,
  bareStringify,
  fillCaches,
  GRAPHQL_JS,
  graphqlJs,
  HAND_WRITTEN,
  handWrittenApollo,
  MERCURIUS,
  mercurius,
  prepare,
  QUIPU,
  quipu,
  STOCK,
  STRINGIFY,
  startShared,
  stockApollo,
  YOGA,
  yoga,
} from './compliance/contenders.ts';
import { complianceOf, MOMENTS } from './compliance/questions.ts';
import { type Bench, BenchFailure, type Claim, type Ratio, type Report } from './harness/bench.ts';
import { compare, descriptionsOf, startAll } from './harness/contender.ts';
import { describeMachine, findPinning } from './harness/machine.ts';
import { onStage } from './harness/stage.ts';
import { ratioOf } from './harness/statistics.ts';
import { renderReport } from './harness/table.ts';

const [FEW, MANY] = [50, 500];
/** Pairs of contenders: requests per second of the first, divided by those of the second or of the best of the others in each round. */
const RATIOS = [
  [QUIPU, STOCK],
  [QUIPU, HAND_WRITTEN, MERCURIUS, YOGA],
  [QUIPU, STRINGIFY],
  [BARE, QUIPU],
] as const;

export const graphql: Bench = {
  name: 'graphql',
  description:
    'the compliance query for 1, 50 and 500 companies, caches warm, against Apollo Server, Mercurius, GraphQL Yoga and bare handlers',
  async run(options, progress) {
    const pinning = findPinning();
    const machine = describeMachine(pinning);
    const questions = [1, FEW, MANY].map(complianceOf);
    return onStage(pinning, async (stage) => {
      const shared = await startShared(stage);
      const ownFolder = { ...shared, dataDir: path.join(stage.dir, 'graphql-js') };
      // An entry added here compares another executor.
      const contenders = [
        quipu(shared),
        graphqlJs(ownFolder),
        stockApollo(shared),
        handWrittenApollo(shared),
        mercurius(shared),
        yoga(shared),
      ];
      const executing = await startAll(stage, contenders, progress);
      const preparedDir = path.join(stage.dir, 'prepared');
      progress('filling the caches');
      await fillCaches(MANY, executing);
      const [ours] = executing;
      if (ours) await prepare(questions, ours, preparedDir);
      const all = [...executing, ...(await startAll(stage, [bareStringify(preparedDir), bareFastify(preparedDir)], progress))];

      const comparison = { options, prefix: pinning.load, ignored: MOMENTS, ratios: RATIOS, progress };
      const claims: Claim[] = [];
      // Eight concurrent requests for 500 companies take graphql-js longer than the deadline of a request.
      const inTime = all.filter(({ contender }) => contender.name !== GRAPHQL_JS);
      for (const question of questions) claims.push(await compare(question, question === questions.at(-1) ? inTime : all, comparison));
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
