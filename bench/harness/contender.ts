import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { requireEqualAnswers, send } from './answers.ts';
import { BenchFailure, type BenchOptions, type Claim, type Measurement, type Ratio, type Run } from './bench.ts';
import { untilIdle } from './idle.ts';
import { interleave, type Target as LoadTarget } from './interleave.ts';
import type { Placement } from './placement.ts';
import type { RunningServer, ServerPlan } from './server.ts';
import type { Stage } from './stage.ts';
import { ratioOf } from './statistics.ts';
import type { Target } from './targets.ts';

/** A request that is sent to every contender. */
export interface Question {
  /** Short id, also the key of its prepared answer. */
  readonly name: string;
  readonly title: string;
  /** JSON body, the same for all. */
  readonly body: string;
}

/** A server under comparison and the way to send questions to it. */
export interface Contender extends ServerPlan {
  /** Description in the report. */
  readonly what: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Returns the path that a question is posted to. */
  readonly pathOf: (question: Question) => string;
}

/**
 * Configures Quipu, or a server made of its parts, to execute the requests of this many connections at once. By default it refuses those
 * of one key beyond 100 in execution and 100 that wait, and more while its event loop is late.
 */
export function executingAtOnce(contender: Contender, connections: number): Contender {
  const executions = String(connections);
  const env = { ...contender.env, QUIPU_EXECUTIONS: executions, QUIPU_EXECUTIONS_PER_KEY: executions, QUIPU_LOOP_DELAY: '60000' };
  return { ...contender, env, what: `${contender.what}; ${connections.toLocaleString('en-US')} executions at once are allowed` };
}

export interface Started {
  readonly contender: Contender;
  readonly server: RunningServer;
  /** Id of the main process of the embedded Postgres that it uses; null without one. */
  readonly postgres: number | null;
}

/** Starts the contenders one after the other, because a later one may use data of an earlier one. */
export async function startAll(
  stage: Stage,
  contenders: readonly Contender[],
  progress: (line: string) => void,
): Promise<readonly Started[]> {
  const started: Started[] = [];
  for (const contender of contenders) {
    progress(`starting ${contender.name}`);
    const server = await stage.start(contender);
    started.push({ contender, server, postgres: await embeddedPostgres(contender.env.QUIPU_DATA_DIR) });
  }
  return started;
}

/** Reads the id of the Postgres that runs in a data folder; null without one. */
async function embeddedPostgres(dataDir: string | undefined): Promise<number | null> {
  if (dataDir === undefined) return null;
  const text = await readFile(path.join(dataDir, 'postgres/postmaster.pid'), 'utf8').catch(() => '');
  return Number.parseInt(text, 10) || null;
}

/** Builds the request of a question for one contender. */
export const targetOf =
  (question: Question) =>
  ({ contender, server, postgres }: Started): LoadTarget => ({
    name: contender.name,
    processes: { server: server.pid, postgres },
    request: {
      url: server.url + contender.pathOf(question),
      headers: { 'content-type': 'application/json', ...contender.headers },
      body: question.body,
    },
  });

export interface Comparison {
  readonly options: BenchOptions;
  readonly placements: readonly Placement[];
  /** Names of answer fields that may differ. */
  readonly ignored: ReadonlySet<string>;
  readonly ratios: readonly RatioPlan[];
  readonly progress: (line: string) => void;
}

/** Two contenders to divide by each other, by name. */
export interface RatioPlan {
  readonly of: string;
  readonly to: string;
  /** The ratio of requests per second to reach. */
  readonly target?: Target;
}

/** Returns the descriptions of contenders for a report, by name. */
export const descriptionsOf = (started: readonly Started[]): Readonly<Record<string, string>> =>
  Object.fromEntries(started.map(({ contender: { name, what } }) => [name, what]));

/** Measures one question with all contenders alternately. @throws BenchFailure when answers differ before or after, or a request fails */
export async function compare(question: Question, started: readonly Started[], comparison: Comparison): Promise<Claim> {
  const { options, placements, ignored, ratios, progress } = comparison;
  const targets = started.map(targetOf(question));
  await requireEqualAnswers(targets, ignored);
  if (!(await untilIdle(started.map(({ server }) => server.pid)))) progress(`${question.title} · a server is still busy`);
  const measured = await interleave(targets, placements, options, (line) => progress(`${question.title} · ${line}`));
  await requireEqualAnswers(targets, ignored);
  return {
    title: question.title,
    answerBytes: Math.max(...(await Promise.all(targets.map(async ({ request }) => Buffer.byteLength(await send(request)))))),
    measured,
    ratios: ratios.flatMap((plan) => placements.flatMap((placement) => ratiosOf(plan, placement, measured))),
  };
}

/** Returns the ratio of the rates in a placement, and that of the CPU times of an answer, where both are known. */
function ratiosOf({ of, to, target }: RatioPlan, { name: placement }: Placement, measured: readonly Measurement[]): readonly Ratio[] {
  const runsOf = (name: string): readonly Run[] => {
    const found = measured.find((one) => one.name === name && one.placement === placement);
    if (!found) throw new BenchFailure(`no contender ${name} was measured`);
    return found.runs;
  };
  const [ours, theirs] = [runsOf(of), runsOf(to)];
  const rates = (runs: readonly Run[]) => runs.map(({ requestsPerSecond }) => requestsPerSecond);
  const times = (runs: readonly Run[]) => runs.map(({ serverCpuUs, postgresCpuUs }) => serverCpuUs + postgresCpuUs);
  const byRate = { of, to, basis: `requests a second, ${placement}`, ratio: ratioOf(rates(ours), rates(theirs)), target };
  if ([...times(ours), ...times(theirs)].includes(0)) return [byRate];
  return [byRate, { of, to, basis: `answers for each second of CPU, ${placement}`, ratio: ratioOf(times(theirs), times(ours)) }];
}
