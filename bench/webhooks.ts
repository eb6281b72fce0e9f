import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { companies } from '../sandbox/world/brazil/world.ts';
import { attempts, dropWaiting } from './deliveries/queue.ts';
import { type Bench, BenchFailure, type BenchOptions } from './harness/bench.ts';
import { describeMachine, findPinning, type Machine } from './harness/machine.ts';
import type { RunningServer } from './harness/server.ts';
import { onStage } from './harness/stage.ts';
import { ratioOf, type Summary, summarise } from './harness/statistics.ts';
import { conditions, spread, table } from './harness/table.ts';
import { startPostgres } from './imports/postgres.ts';
import { changeLog, createMonitor, type PublishChange } from './monitors/changes.ts';
import { connect, startQuipu } from './monitors/play.ts';

/** Number of processes that are compared with one. */
const PROCESSES = 4;
/** Number of receivers on separate hosts, each with one monitor of the same companies. */
const HOSTS = 64;
const COMPANIES = companies.slice(0, 8).map(({ cnpj }) => cnpj);
/**
 * Number of changes of each company per run. It exceeds the number that all processes send while they are measured, so that no partition
 * is idle.
 */
const CHANGES = 16;
/** Latency of a receiver in ms, so that one process is limited by its slots and not by the CPU. */
const ANSWER_MS = 1_000;

interface WebhooksReport {
  readonly bench: string;
  readonly machine: Machine;
  readonly options: BenchOptions;
  /** Attempts a second, by round. */
  readonly one: readonly number[];
  readonly several: readonly number[];
  readonly ratio: Summary;
}

export const webhooks: Bench = {
  name: 'webhooks',
  description: `webhook attempts a second of ${PROCESSES} processes on one database against those of one`,
  async run(options, progress) {
    const pinning = findPinning();
    const machine = describeMachine(pinning);
    return onStage(pinning, async (stage) => {
      const postgres = await startPostgres(stage.dir);
      const receivers = await startReceivers();
      try {
        const { one, several } = await postgres.afresh(async (url) => {
          const start = (name: string) => startQuipu({ stage, url }, name, {}, []);
          return measure({ url, start, urls: receivers.urls, options, progress });
        });
        const report: WebhooksReport = { bench: 'webhooks', machine, options, one, several, ratio: ratioOf(several, one) };
        return { report, text: render(report) };
      } finally {
        receivers.close();
        await postgres.stop();
      }
    });
  },
};

interface Play {
  readonly url: string;
  readonly urls: readonly string[];
  readonly options: BenchOptions;
  readonly start: (name: string) => Promise<RunningServer>;
  readonly progress: (line: string) => void;
}

async function measure({ url, urls, options, start, progress }: Play): Promise<Pick<WebhooksReport, 'one' | 'several'>> {
  const first = await start('process-1');
  const log = await changeLog(url);
  const client = await connect(url);
  const one: number[] = [];
  const several: number[] = [];
  try {
    const { key } = await log.keyFor('webhooks');
    for (const receiver of urls) await createMonitor(first.url, key, COMPANIES, receiver);
    await attemptsPerSecond(client, log.publishChange, options); // until each endpoint has answered, so that all slots are open to it
    for (let round = 1; round <= options.rounds; round += 1) {
      one.push(await attemptsPerSecond(client, log.publishChange, options));
      const others = await Promise.all(Array.from({ length: PROCESSES - 1 }, (_, i) => start(`process-${i + 2}`)));
      several.push(await attemptsPerSecond(client, log.publishChange, options));
      for (const other of others) await other.stop();
      progress(
        `round ${round}/${options.rounds} · one ${one.at(-1)?.toFixed(0)}/s · ${PROCESSES} processes ${several.at(-1)?.toFixed(0)}/s`,
      );
    }
    return { one, several };
  } finally {
    await client.end();
    await log.close();
    await first.stop();
  }
}

/**
 * Publishes more changes than can be sent, and counts the attempts that end within the time of a run. @throws BenchFailure when one failed
 */
async function attemptsPerSecond(
  client: pg.Client,
  publishChange: PublishChange,
  { warmupSeconds, seconds }: BenchOptions,
): Promise<number> {
  for (let change = 0; change < CHANGES; change += 1) for (const taxId of COMPANIES) await publishChange(taxId, `${change}`);
  await delay(ANSWER_MS + warmupSeconds * 1_000);
  const before = await attempts(client);
  const startedAt = performance.now();
  await delay(seconds * 1_000);
  const after = await attempts(client);
  const ms = performance.now() - startedAt;
  await dropWaiting(client);
  if (after.failed > 0) throw new BenchFailure(`${after.failed} attempts failed`);
  return (after.delivered - before.delivered) / (ms / 1_000);
}

/** Starts one server that all addresses of loopback reach. Each address is a separate host. */
async function startReceivers(): Promise<{ readonly urls: readonly string[]; close(): void }> {
  const server = createServer((request, response) => {
    request.resume();
    setTimeout(() => response.writeHead(204).end(), ANSWER_MS);
  });
  await new Promise<void>((resolve) => server.listen(0, '0.0.0.0', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    urls: Array.from({ length: HOSTS }, (_, i) => `http://127.0.0.${i + 1}:${port}/hook`),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

function render({ machine, options, one, several, ratio }: WebhooksReport): string {
  return [
    ...conditions(
      machine,
      `Webhooks to ${HOSTS} hosts that answer after ${ANSWER_MS} ms; rounds: ${options.rounds}, interleaved, ${options.seconds} s each after ${options.warmupSeconds} s of warm-up; not pinned.`,
    ),
    ...table(
      ['', 'one process', `${PROCESSES} processes`, `${PROCESSES} / one`],
      [['attempts a second', spread(summarise(one), 0), spread(summarise(several), 0), spread(ratio, 2)]],
    ),
    '',
  ].join('\n');
}
