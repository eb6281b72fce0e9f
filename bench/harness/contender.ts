import { ask, requireEqualAnswers } from './answers.ts';
import { BenchFailure, type BenchOptions, type Claim } from './bench.ts';
import { interleave, type Lane, type Measured } from './interleave.ts';
import type { RunningServer, ServerPlan } from './server.ts';
import type { Stage } from './stage.ts';
import { ratioOf } from './statistics.ts';

/** One request that every contender is asked. */
export interface Question {
  /** Short id, also of its prepared answer. */
  readonly name: string;
  readonly title: string;
  /** JSON, the same for all. */
  readonly body: string;
}

/** A server under comparison and how questions reach it. */
export interface Contender extends ServerPlan {
  /** What runs there, for the report. */
  readonly what: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Where a question is posted. */
  readonly pathOf: (question: Question) => string;
}

export interface Started {
  readonly contender: Contender;
  readonly server: RunningServer;
}

/** Starts them one after the other: a later one may use what an earlier one made. */
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

/** The question as it is sent to one contender. */
export const laneOf =
  (question: Question) =>
  ({ contender, server }: Started): Lane => ({
    name: contender.name,
    request: {
      url: server.url + contender.pathOf(question),
      headers: { 'content-type': 'application/json', ...contender.headers },
      body: question.body,
    },
  });

export interface Comparison {
  readonly options: BenchOptions;
  /** Command prefix of the load generator. */
  readonly prefix: readonly string[];
  /** Fields of answers that may differ between contenders. */
  readonly ignored: ReadonlySet<string>;
  /** Names of contenders: how many times the first is the second. */
  readonly ratios: readonly (readonly [of: string, to: string])[];
  readonly progress: (line: string) => void;
}

/**
 * Measures one question, all contenders in turn.
 * @throws BenchFailure when answers differ before or after, or a request fails
 */
export async function compare(question: Question, started: readonly Started[], comparison: Comparison): Promise<Claim> {
  const { options, prefix, ignored, ratios, progress } = comparison;
  const lanes = started.map(laneOf(question));
  await requireEqualAnswers(lanes, ignored);
  const measured = await interleave(lanes, options, prefix, (line) => progress(`${question.title} · ${line}`));
  await requireEqualAnswers(lanes, ignored);
  return {
    title: question.title,
    answerBytes: Math.max(...(await Promise.all(lanes.map(async ({ request }) => Buffer.byteLength(await ask(request)))))),
    measured,
    ratios: ratios.map(([of, to]) => ({ of, to, ratio: ratioOf(ratesOf(of, measured), ratesOf(to, measured)) })),
  };
}

function ratesOf(name: string, measured: readonly Measured[]): readonly number[] {
  const found = measured.find((one) => one.name === name);
  if (!found) throw new BenchFailure(`nobody called ${name} was measured`);
  return found.runs.map(({ requestsPerSecond }) => requestsPerSecond);
}
