import { requireEqualAnswers, send } from './answers.ts';
import { BenchFailure, type BenchOptions, type Claim, type Measurement } from './bench.ts';
import { interleave, type Target } from './interleave.ts';
import type { RunningServer, ServerPlan } from './server.ts';
import type { Stage } from './stage.ts';
import { ratioOf } from './statistics.ts';

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
    started.push({ contender, server: await stage.start(contender) });
  }
  return started;
}

/** Builds the request of a question for one contender. */
export const targetOf =
  (question: Question) =>
  ({ contender, server }: Started): Target => ({
    name: contender.name,
    request: {
      url: server.url + contender.pathOf(question),
      headers: { 'content-type': 'application/json', ...contender.headers },
      body: question.body,
    },
  });

export interface Comparison {
  readonly options: BenchOptions;
  /** Command prefix that pins the load generator to a CPU. */
  readonly prefix: readonly string[];
  /** Names of answer fields that may differ. */
  readonly ignored: ReadonlySet<string>;
  /** Pairs of contenders to divide: the first by the second, or by the best of several in each round. */
  readonly ratios: readonly (readonly [of: string, ...to: string[]])[];
  readonly progress: (line: string) => void;
}

/** Returns the descriptions of contenders for a report, by name. */
export const descriptionsOf = (started: readonly Started[]): Readonly<Record<string, string>> =>
  Object.fromEntries(started.map(({ contender: { name, what } }) => [name, what]));

/** Measures one question with all contenders alternately. @throws BenchFailure when answers differ before or after, or a request fails */
export async function compare(question: Question, started: readonly Started[], comparison: Comparison): Promise<Claim> {
  const { options, prefix, ignored, ratios, progress } = comparison;
  const targets = started.map(targetOf(question));
  await requireEqualAnswers(targets, ignored);
  const measured = await interleave(targets, options, prefix, (line) => progress(`${question.title} · ${line}`));
  await requireEqualAnswers(targets, ignored);
  return {
    title: question.title,
    answerBytes: Math.max(...(await Promise.all(targets.map(async ({ request }) => Buffer.byteLength(await send(request)))))),
    measured,
    ratios: ratios.map(([of, ...to]) => ({
      of,
      to: to.length > 1 ? `the best of ${to.join(', ')}` : to.join(),
      ratio: ratioOf(ratesOf(of, measured), bestOf(to.map((name) => ratesOf(name, measured)))),
    })),
  };
}

function ratesOf(name: string, measured: readonly Measurement[]): readonly number[] {
  const found = measured.find((one) => one.name === name);
  if (!found) throw new BenchFailure(`no contender ${name} was measured`);
  return found.runs.map(({ requestsPerSecond }) => requestsPerSecond);
}

/** Returns the best rate of each round. */
const bestOf = (rates: readonly (readonly number[])[]): readonly number[] =>
  (rates[0] ?? []).map((_, round) => Math.max(...rates.map((rounds) => rounds[round] ?? 0)));
