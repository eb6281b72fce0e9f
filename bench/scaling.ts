import path from 'node:path';
import { BY_HAND, bareStringify, byHand, fillCaches, prepare, QUIPU, quipu, STRINGIFY, startShared } from './compliance/contenders.ts';
import { complianceOf, MOMENTS } from './compliance/questions.ts';
import type { Bench, Claim, Measurement, Report } from './harness/bench.ts';
import { compare, descriptionsOf, executingAtOnce, startAll } from './harness/contender.ts';
import { type Curve, drawCurve, type Point } from './harness/curve.ts';
import { describeMachine, findPinning } from './harness/machine.ts';
import { placementsOf } from './harness/placement.ts';
import { onStage } from './harness/stage.ts';
import { renderReport } from './harness/table.ts';

/** Numbers of companies of one request, at the connections of the options. */
const COMPANIES = [1, 5, 20, 50, 100, 250, 500];
/** Numbers of connections that request one company. */
const CLIENTS = [1, 8, 32, 128, 512, 1_000];
const RATIOS = [BY_HAND, STRINGIFY].map((to) => ({ of: QUIPU, to }));

export const scaling: Bench = {
  name: 'scaling',
  description: 'the compliance query for 1 to 500 companies, and for 1 company from 1 to 1,000 clients; drawn as curves',
  async run(options, progress) {
    const pinning = findPinning();
    const machine = describeMachine(pinning);
    const questions = COMPANIES.map(complianceOf);
    return onStage(pinning, async (stage) => {
      const shared = await startShared(stage);
      const contenders = [executingAtOnce(quipu(shared), Math.max(...CLIENTS)), byHand(shared)];
      const executing = await startAll(stage, contenders, progress);
      const preparedDir = path.join(stage.dir, 'prepared');
      progress('filling the caches');
      await fillCaches(Math.max(...COMPANIES), executing);
      const [ours] = executing;
      if (ours) await prepare(questions, ours, preparedDir);
      const all = [...executing, ...(await startAll(stage, [bareStringify(preparedDir)], progress))];

      const comparison = { options, placements: placementsOf(pinning).slice(0, 1), ignored: MOMENTS, ratios: RATIOS, progress };
      const byCompanies: Claim[] = [];
      for (const question of questions) byCompanies.push(await compare(question, all, comparison));
      const byClients: Claim[] = [];
      for (const connections of CLIENTS) {
        const question = { ...complianceOf(1), title: `1 company, ${connections} ${connections === 1 ? 'client' : 'clients'}` };
        byClients.push(await compare(question, all, { ...comparison, options: { ...options, connections } }));
      }
      const report: Report = {
        bench: 'scaling',
        machine,
        options,
        contenders: descriptionsOf(all),
        claims: [...byCompanies, ...byClients],
      };
      const images = {
        'scaling-companies.svg': drawCurve({
          title: `Companies of one request, ${options.connections} clients`,
          xLabel: 'companies of a request',
          yLabel: 'companies per second',
          lines: linesOf(byCompanies, COMPANIES, ({ requestsPerSecond }, companies) => requestsPerSecond.median * companies),
        }),
        'scaling-clients.svg': drawCurve({
          title: 'Clients that ask for one company',
          xLabel: 'clients',
          yLabel: 'requests per second',
          lines: linesOf(byClients, CLIENTS, ({ requestsPerSecond }) => requestsPerSecond.median),
        }),
      };
      return { report, text: renderReport(report), images };
    });
  },
};

/** Returns one line for each contender. `read` returns the height of a measurement at each x. */
function linesOf(claims: readonly Claim[], xs: readonly number[], read: (measured: Measurement, x: number) => number): Curve['lines'] {
  const [first] = claims;
  return (first?.measured ?? []).map(({ name }) => ({
    name,
    points: claims.flatMap(({ measured }, i): Point[] => {
      const [x, one] = [xs[i] ?? 1, measured.find((other) => other.name === name)];
      return one ? [[x, read(one, x)]] : [];
    }),
  }));
}
