import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { MINUTE_MS, SECOND_MS } from '../../domain/time.ts';
import { cancellationSignal } from '../http/call-context.ts';
import { createCallSlots } from '../http/policy.ts';
import type { Reply, Task } from './entry.ts';

/** Thrown for work that took more time or memory than allowed. */
export class TooCostly extends Error {
  override readonly name = 'TooCostly';
}

export interface ReadingOptions {
  /** `import.meta.url` of a file in the folder of the file of the process. */
  readonly beside: string;
  /** Name of the file of the process, without its extension. The file calls `answerInProcess`. */
  readonly name: string;
  /**
   * Maximum number of processes. One caller has at most `perCaller` of them, so that a caller with hostile texts leaves a process for the
   * others.
   */
  readonly processes: number;
  readonly perCaller: number;
  readonly deadlineMs: number;
}

/** Processes that read untrusted texts. They are started on demand, and end after a minute without work. */
export interface ReadingProcesses<I, O> {
  /**
   * Processes one input; inputs and results are copied. 64 inputs may wait, shared fairly by callers; a cancelled input is dropped.
   * @throws TooCostly past the deadline, and for work that ends its process; NoSlot if too many wait; Error for work that failed
   */
  run(input: I, deadlineMs?: number): Promise<O>;
}

/**
 * Maximum heap of a process, in MB. V8 ends the whole process when a heap is full, also that of a thread, which is why the work has a
 * process of its own.
 */
const MAX_HEAP_MB = 256;
const IDLE_MS = MINUTE_MS;
/** Time after its deadline after which a process that has not answered is killed. It includes the start of the process. */
const MARGIN_MS = 2 * SECOND_MS;

export function createReadingProcesses<I, O>(options: ReadingOptions): ReadingProcesses<I, O> {
  const { beside, name, processes, perCaller, deadlineMs: usualMs } = options;
  const file = fileURLToPath(new URL(`./${name}.${beside.endsWith('.ts') ? 'ts' : 'js'}`, beside));
  const slots = createCallSlots(processes, perCaller);
  /** Idle processes, the last used one at the end. */
  const idle = new Set<ReadingProcess>();

  async function work(input: I, deadlineMs: number): Promise<O> {
    const reader = [...idle].at(-1) ?? new ReadingProcess(file, () => idle.delete(reader));
    idle.delete(reader);
    const reply = await reader.read({ input, deadlineMs });
    idle.add(reader);
    if (!('error' in reply)) return reply.value as O;
    throw reply.isTooCostly ? new TooCostly(reply.error) : new Error(reply.error);
  }

  return { run: (input, deadlineMs = usualMs) => slots(() => work(input, deadlineMs), cancellationSignal()) };
}

/** One process, which does one task at a time. */
class ReadingProcess {
  readonly #process: ChildProcess;
  readonly #ended: () => void;
  #pending: PromiseWithResolvers<Reply> | null = null;
  #timer: NodeJS.Timeout | undefined;

  /** @param ended called when the process accepts no more tasks */
  constructor(file: string, ended: () => void) {
    this.#ended = ended;
    this.#process = fork(file, {
      env: {}, // the process does not get the secrets of the service
      execArgv: [`--max-old-space-size=${MAX_HEAP_MB}`],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const fail = (error: Error) => {
      ended();
      this.#pending?.reject(error);
    };
    this.#process.on('message', (reply: Reply) => this.#pending?.resolve(reply));
    this.#process.on('error', fail);
    this.#process.on('exit', () => fail(new TooCostly('the process ended without a result')));
  }

  /** Runs a task. A process that fails or does not answer is ended. @throws TooCostly; Error */
  async read(task: Task): Promise<Reply> {
    const pending = Promise.withResolvers<Reply>();
    this.#pending = pending;
    this.#endAfter(task.deadlineMs + MARGIN_MS, () => pending.reject(new TooCostly(`not done within ${task.deadlineMs} ms`)));
    this.#keepAlive(true);
    try {
      this.#process.send(task, (error) => error && pending.reject(error));
      const reply = await pending.promise;
      this.#endAfter(IDLE_MS, () => this.#end());
      return reply;
    } catch (error) {
      this.#end();
      throw error;
    } finally {
      this.#pending = null;
      this.#keepAlive(false);
    }
  }

  /** Makes the process keep the service alive only while it works. */
  #keepAlive(isWorking: boolean): void {
    const { channel } = this.#process;
    if (isWorking) {
      this.#process.ref();
      channel?.ref();
    } else {
      this.#process.unref();
      channel?.unref();
    }
  }

  #endAfter(ms: number, end: () => void): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(end, ms).unref();
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#ended();
    this.#process.kill('SIGKILL');
  }
}
