import { Script } from 'node:vm';

/** A piece of work for a process. */
export interface Task {
  readonly input: unknown;
  readonly deadlineMs: number;
}

/** Response of a process to a task. */
export type Reply = { readonly value: unknown } | { readonly error: string; readonly isTooCostly: boolean };

/**
 * Answers each task of this process by `work`. It is called once, by the file of the process. Work that passes its deadline before it
 * first waits is interrupted here, so that a process whose parent was killed does not run for ever.
 */
export function answerInProcess<I, O>(work: (input: I) => O | Promise<O>): void {
  const script = new Script('readingTask()');
  process.on('message', async ({ input, deadlineMs }: Task) => {
    Object.assign(globalThis, { readingTask: () => work(input as I) });
    process.send?.(await replyOf(() => script.runInThisContext({ timeout: deadlineMs })));
  });
}

async function replyOf(work: () => unknown): Promise<Reply> {
  try {
    return { value: await work() };
  } catch (error) {
    const { message, code } = error as { message?: string; code?: string };
    return { error: message ?? 'unknown', isTooCostly: code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' };
  }
}
