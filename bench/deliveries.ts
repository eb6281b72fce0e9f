import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { companies } from '../sandbox/world/brazil/world.ts';
import { type CpuClock, countStatements, cpuClock } from './deliveries/cost.ts';
import { attempts, dropWaiting } from './deliveries/queue.ts';
import { type Bench, BenchFailure, type BenchOptions } from './harness/bench.ts';
import { describeMachine, findPinning, type Machine } from './harness/machine.ts';
import type { RunningServer } from './harness/server.ts';
import { onStage, type Stage } from './harness/stage.ts';
import { ratioOf, summarise } from './harness/statistics.ts';
import { conditions, spread, table } from './harness/table.ts';
import { startPostgres } from './imports/postgres.ts';
import { changeLog, createMonitor, type PublishTogether } from './monitors/changes.ts';
import { connect, startQuipu } from './monitors/play.ts';

/** Maximum number of processes that send concurrently. */
const PROCESSES = 3;
/** Number of hosts of receivers, each with one monitor of the same companies. They have more slots than all processes together. */
const HOSTS = 64;
const COMPANIES = companies.slice(0, 16).map(({ cnpj }) => cnpj);
/**
 * Number of deliveries that are queued for each second of a run. It exceeds the number that is sent, so that the queue does not become
 * empty.
 */
const QUEUED_PER_SECOND = 2_000;
/** Time in ms for which statements are counted. */
const COUNTED_MS = 1_000;
const POLL_MS = 20;
/** Maximum wait in ms for the first delivery of a run. */
const START_MS = 30_000;

/** Measurements of one run. */
interface Run {
  readonly perSecond: number;
  /** CPU time of the sending processes per delivery, in ms. */
  readonly workerMs: number;
  /** CPU time of Postgres per delivery, in ms. */
  readonly postgresMs: number;
}

interface DeliveriesReport {
  readonly bench: string;
  readonly machine: Machine;
  readonly options: BenchOptions;
  /** Number of statements per delivery of one process. */
  readonly statementsPerDelivery: number;
  /** Runs by number of processes − 1, then by round. */
  readonly runs: readonly (readonly Run[])[];
}

export const deliveries: Bench = {
  name: 'deliveries',
  description: `webhook deliveries a second to receivers that answer at once, with 1 to ${PROCESSES} processes`,
  async run(options, progress) {
    const pinning = findPinning();
    const machine = describeMachine(pinning);
    return onStage(pinning, async (stage) => {
      const postgres = await startPostgres(path.join(stage.dir, 'postgres'));
      try {
        const measured = await postgres.afresh((url) => measure({ stage, url, options, progress }));
        const report: DeliveriesReport = { bench: 'deliveries', machine, options, ...measured };
        return { report, text: render(report) };
      } finally {
        await postgres.stop();
      }
    });
  },
};

interface Setup {
  readonly stage: Stage;
  readonly url: string;
  readonly options: BenchOptions;
  readonly progress: (line: string) => void;
}

async function measure({ stage, url, options, progress }: Setup): Promise<Pick<DeliveriesReport, 'runs' | 'statementsPerDelivery'>> {
  const receiver = await stage.start({ name: 'receiver', script: 'bench/servers/webhook-receiver.ts', env: {}, readyPath: '/' }, []);
  const processes: RunningServer[] = [];
  const start = async () => void processes.push(await startQuipu({ stage, url }, `process-${processes.length + 1}`, {}, []));
  await start();
  const log = await changeLog(url);
  const client = await connect(url);
  try {
    const { key } = await log.keyFor('deliveries');
    const { port } = new URL(receiver.url);
    for (let host = 1; host <= HOSTS; host += 1)
      await createMonitor(processes[0]?.url ?? '', key, COMPANIES, `http://127.0.0.${host}:${port}/hook`);
    const clock = await cpuClock(client);
    const run = () => measureRun({ client, clock, publish: log.publishTogether, pids: processes.map(({ pid }) => pid) }, options);
    await run(); // until each endpoint has answered, so that all slots are open to it
    const statementsPerDelivery = await measureStatements(client, log.publishTogether, path.join(stage.dir, 'postgres/data/postgres.log'));
    const runs: Run[][] = Array.from({ length: PROCESSES }, () => []);
    for (let round = 1; round <= options.rounds; round += 1) {
      for (const ofCount of runs) {
        if (processes.length < runs.indexOf(ofCount) + 1) await start();
        const measured = await run();
        ofCount.push(measured);
        progress(`round ${round}/${options.rounds} · ${processes.length} processes · ${describe(measured)}`);
      }
      for (const other of processes.splice(1)) await other.stop();
    }
    return { runs, statementsPerDelivery };
  } finally {
    await client.end();
    await log.close();
    for (const one of processes) await one.stop();
    await receiver.stop();
  }
}

const describe = ({ perSecond, workerMs, postgresMs }: Run): string =>
  `${perSecond.toFixed(0)}/s · CPU ${workerMs.toFixed(2)} ms of processes, ${postgresMs.toFixed(2)} ms of Postgres each`;

interface Queue {
  readonly client: pg.Client;
  readonly clock: CpuClock;
  readonly publish: PublishTogether;
  readonly pids: readonly number[];
}

/** Queues more deliveries than can be sent, and counts the deliveries within the time of a run. @throws BenchFailure when one failed */
async function measureRun({ client, clock, publish, pids }: Queue, { seconds, warmupSeconds }: BenchOptions): Promise<Run> {
  await queue(client, publish, seconds + warmupSeconds);
  await delay(warmupSeconds * 1_000);
  const read = async () => ({
    ...(await attempts(client)),
    at: performance.now(),
    workers: clock.workers(pids),
    postgres: clock.postgres(),
  });
  const before = await read();
  await delay(seconds * 1_000);
  const after = await read();
  if (after.failed > 0) throw new BenchFailure(`${after.failed} attempts failed`);
  if (after.waiting === 0) throw new BenchFailure('everything was sent before the run ended');
  await dropWaiting(client);
  const delivered = after.delivered - before.delivered;
  return {
    perSecond: delivered / ((after.at - before.at) / 1_000),
    workerMs: (after.workers - before.workers) / delivered,
    postgresMs: (after.postgres - before.postgres) / delivered,
  };
}

async function measureStatements(client: pg.Client, publish: PublishTogether, logFile: string): Promise<number> {
  await queue(client, publish, 1 + COUNTED_MS / 1_000);
  const ended = await countStatements(client, logFile);
  const before = await attempts(client);
  await delay(COUNTED_MS);
  const statements = await ended();
  const after = await attempts(client);
  await dropWaiting(client);
  return statements / (after.delivered - before.delivered);
}

/** Queues deliveries in one transaction for a run of this many seconds, and waits for the first attempt. */
async function queue(client: pg.Client, publish: PublishTogether, seconds: number): Promise<void> {
  const { delivered } = await attempts(client);
  await publish(COMPANIES, Math.ceil((seconds * QUEUED_PER_SECOND) / (HOSTS * COMPANIES.length)));
  const startedAt = performance.now();
  while ((await attempts(client)).delivered === delivered) {
    if (performance.now() - startedAt > START_MS) throw new BenchFailure('nothing was sent');
    await delay(POLL_MS);
  }
}

function render({ machine, options, runs, statementsPerDelivery }: DeliveriesReport): string {
  const perSecond = runs.map((ofCount) => ofCount.map((run) => run.perSecond));
  const [one = []] = perSecond;
  const rows = runs.map((ofCount, i) => [
    String(i + 1),
    spread(summarise(perSecond[i] ?? []), 0),
    spread(ratioOf(perSecond[i] ?? [], one), 2),
    spread(summarise(ofCount.map(({ workerMs }) => workerMs)), 2),
    spread(summarise(ofCount.map(({ postgresMs }) => postgresMs)), 2),
  ]);
  return [
    ...conditions(
      machine,
      `Webhooks to ${HOSTS} hosts that answer at once; rounds: ${options.rounds}, ${options.seconds} s each after ${options.warmupSeconds} s of warm-up; not pinned.`,
    ),
    ...table(['processes', 'deliveries a second', 'to one process', 'CPU ms each, processes', 'CPU ms each, Postgres'], rows),
    '',
    `Statements a delivery, with one process: ${statementsPerDelivery.toFixed(1)}.`,
    '',
  ].join('\n');
}
