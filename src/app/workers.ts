import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { Config } from '../config.ts';
import { startEmbedded } from '../db/embedded.ts';
import { MINUTE_MS, SECOND_MS } from '../domain/time.ts';
import { Closing } from './closing.ts';
import { type ConfigWithSecret, unusableFolder, withKeySecret } from './data-folder.ts';
import { startSandboxOf } from './sandbox.ts';
import { sharedPort } from './shared-port.ts';
import { configOfWorker, type SharedSandbox, type WorkerTask } from './worker-tasks.ts';

/** Argument with which the parent starts this program as a worker process. */
export const WORKER_ARGUMENT = '--worker';

/** Pause in ms before a worker that ended is started again; it doubles with each further end, up to the longest. */
const FIRST_PAUSE_MS = SECOND_MS;
const LONGEST_PAUSE_MS = 30 * SECOND_MS;
/** Time in ms after which a worker counts as healthy, so that its next end is followed by the first pause. */
const HEALTHY_MS = MINUTE_MS;
/** Connections of Postgres for commands, and for each worker. */
const CONNECTIONS = { spare: 60, perWorker: 40 };

interface WorkersOptions {
  readonly log: Logger;
  /** Called when the embedded Postgres exits unexpectedly. */
  readonly onDatabaseLost: () => void;
}

/** The parent of several server processes on one port. It owns the embedded Postgres and the sandbox, and starts workers again that end. */
export class Workers {
  readonly #options: WorkersOptions;
  readonly #closing = new Closing();
  readonly #children = new Map<number, ChildProcess>();
  readonly #stopping = new AbortController();
  #started: Promise<string> | null = null;
  #isClean = true;

  constructor(options: WorkersOptions) {
    this.#options = options;
  }

  /**
   * Starts the workers and returns the start text of the first. The first starts alone, because it migrates the database.
   * @throws ConfigError for a port that cannot be shared; Error when a worker ends before it is ready, after it wrote the reason to stderr
   */
  start(config: Config): Promise<string> {
    this.#started = this.#start(config);
    return this.#started;
  }

  async #start(given: Config): Promise<string> {
    const port = await sharedPort({ ...given, setting: 'PORT' });
    const { config, sandbox } = await this.#openShared({ ...(await withKeySecret(given)), port });
    const launch = (index: number) => this.#launch({ index, config: configOfWorker(config, index), sandbox });
    const text = await launch(0);
    await Promise.all(Array.from({ length: config.workers - 1 }, (_, i) => launch(i + 1)));
    return text;
  }

  /** Starts what all workers use, and completes their configuration with its addresses. */
  async #openShared(config: ConfigWithSecret): Promise<{ config: ConfigWithSecret; sandbox: SharedSandbox | null }> {
    const { log, onDatabaseLost: onExit } = this.#options;
    const { databaseUrl, dataDir, workers } = config;
    const settings = { max_connections: String(CONNECTIONS.spare + workers * CONNECTIONS.perWorker) };
    const own = databaseUrl ? null : await startEmbedded(dataDir, { log, onExit, settings }).catch(unusableFolder);
    this.#closing.add(async () => own?.stop());
    const running = config.sources === 'sandbox' ? await startSandboxOf(config, { log, now: Date.now }) : null;
    this.#closing.add(async () => running?.close());
    const sandbox = running && { url: running.url, dns: running.dns, examples: running.examples };
    return { config: { ...config, databaseUrl: databaseUrl ?? own?.url }, sandbox };
  }

  /** Starts a worker, and starts it again whenever it ends. @returns its start text @throws Error when it ends before it is ready */
  async #launch(task: WorkerTask): Promise<string> {
    const child = this.#fork(task);
    const text = await Promise.race([
      once(child, 'message').then(([message]) => String(message)),
      once(child, 'exit').then(() => {
        throw new Error(`Worker ${task.index} ended before it was ready.`);
      }),
    ]);
    void this.#keep(task, child);
    return text;
  }

  async #keep(task: WorkerTask, first: ChildProcess): Promise<void> {
    let child = first;
    let pauseMs = FIRST_PAUSE_MS;
    for (;;) {
      const startedAt = performance.now();
      if (!hasEnded(child)) await once(child, 'exit');
      if (this.#stopping.signal.aborted) return;
      if (performance.now() - startedAt > HEALTHY_MS) pauseMs = FIRST_PAUSE_MS;
      const { exitCode: code, signalCode: signal } = child;
      this.#options.log.error({ worker: task.index, code, signal, pauseMs }, 'a worker process ended and is started again');
      await sleep(pauseMs, undefined, { signal: this.#stopping.signal }).catch(() => undefined);
      if (this.#stopping.signal.aborted) return;
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
      child = this.#fork(task);
    }
  }

  #fork(task: WorkerTask): ChildProcess {
    this.#stopping.signal.throwIfAborted();
    const child = fork(process.argv[1] ?? '', [WORKER_ARGUMENT], { serialization: 'advanced' });
    child.on('error', (error) => this.#options.log.error({ worker: task.index, err: error }, 'a worker process cannot be reached'));
    child.send(task);
    this.#children.set(task.index, child);
    return child;
  }

  /** Stops the workers, then the sandbox and Postgres. It is also for a start that fails. @returns whether all workers stopped cleanly */
  async stop(): Promise<boolean> {
    this.#stopping.abort();
    await Promise.all([...this.#children.values()].map((child) => this.#end(child)));
    await this.#started?.catch(() => undefined);
    await this.#closing.close();
    return this.#isClean;
  }

  async #end(child: ChildProcess): Promise<void> {
    if (hasEnded(child)) return;
    child.kill('SIGTERM');
    const [code] = await once(child, 'exit');
    if (code !== 0 && code !== null) this.#isClean = false;
  }
}

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;
