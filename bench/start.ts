import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { companyByScenario } from '../sandbox/world/brazil/world.ts';
import { type Bench, BenchFailure, type BenchOptions } from './harness/bench.ts';
import { describeMachine, findPinning, type Machine } from './harness/machine.ts';
import { onStage, type Stage } from './harness/stage.ts';
import { ratioOf, type Summary, summarise } from './harness/statistics.ts';
import { conditions, ratioLine, spread, table } from './harness/table.ts';

const KEY = 'sk_bench_start';
const REQUEST = JSON.stringify({ identifier: companyByScenario('clean').cnpj, country: 'BR' });
const ANSWER_WAIT_MS = 60_000;
const POLL_MS = 10;

interface StartReport {
  readonly bench: string;
  readonly machine: Machine;
  readonly options: BenchOptions;
  /** Seconds from the command to the first answer, by round. */
  readonly first: readonly number[];
  readonly second: readonly number[];
  /** Time of the second start divided by that of the first. */
  readonly ratio: Summary;
}

/**
 * Benchmark of `npm start` of the built sources, with the sandbox and the embedded Postgres. It is not pinned, because a start uses all
 * cores.
 */
export const start: Bench = {
  name: 'start',
  description: 'time from `npm start` to the first answer: the second start in a data folder against the first one',
  async run(options, progress) {
    const pinning = { ...findPinning(), server: [], note: 'not pinned' };
    const machine = describeMachine(pinning);
    return onStage(pinning, async (stage) => {
      const first: number[] = [];
      const second: number[] = [];
      for (let round = 1; round <= options.rounds; round += 1) {
        const dataDir = path.join(stage.dir, `data-${round}`);
        first.push(await secondsToAnswer(stage, dataDir));
        second.push(await secondsToAnswer(stage, dataDir));
        progress(`round ${round}/${options.rounds} · first ${first.at(-1)?.toFixed(2)} s · second ${second.at(-1)?.toFixed(2)} s`);
      }
      const report: StartReport = { bench: 'start', machine, options, first, second, ratio: ratioOf(second, first) };
      return { report, text: render(report) };
    });
  },
};

/** Starts the service in a data folder, waits for an answer about a company, and stops it. @throws BenchFailure without an answer within 60 s */
async function secondsToAnswer(stage: Stage, dataDir: string): Promise<number> {
  const npm = process.env.npm_execpath;
  if (npm === undefined) throw new BenchFailure('start this benchmark by npm run bench, which names the npm that it starts');
  const startedAt = performance.now();
  const server = await stage.start({
    name: 'npm start',
    script: npm,
    args: ['start', '--silent'],
    env: { QUIPU_DATA_DIR: dataDir, QUIPU_BOOTSTRAP_KEY: KEY, QUIPU_RECEITA_MODE: '' }, // the default is what a person gets
    readyPath: '/healthz',
  });
  await answered(server.url);
  const seconds = (performance.now() - startedAt) / 1_000;
  await server.stop();
  return seconds;
}

async function answered(url: string): Promise<void> {
  const deadline = performance.now() + ANSWER_WAIT_MS;
  while (performance.now() < deadline) {
    const headers = { 'x-api-key': KEY, 'content-type': 'application/json' };
    const { status } = await fetch(`${url}/v1/kyb`, { method: 'POST', headers, body: REQUEST });
    if (status === 200) return;
    await delay(POLL_MS);
  }
  throw new BenchFailure(`the service gave no answer within ${ANSWER_WAIT_MS / 1_000} s`);
}

function render({ machine, options, first, second, ratio }: StartReport): string {
  const how = `\`npm start\` to the first 200 of \`POST /v1/kyb\`. Rounds: ${options.rounds}, each with a new data folder; not pinned.`;
  return [
    ...conditions(machine, how),
    ...table(['', 'first start', 'second start'], [['seconds', spread(summarise(first), 2), spread(summarise(second), 2)]]),
    '',
    ratioLine(2)({ of: 'second start', to: 'first start', ratio }),
    '',
  ].join('\n');
}
