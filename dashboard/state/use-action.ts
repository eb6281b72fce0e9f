import { useState } from 'react';
import type { QuipuError } from '../../clients/typescript/src/error.ts';
import { type Client, problemOf } from '../api/client.ts';
import type { Operation } from '../api/operations.ts';

interface Work {
  readonly isBusy: boolean;
  /** Failure of the last run; null if it did not fail. */
  readonly problem: QuipuError | null;
  /** Runs the work, and stores its failure. */
  act(work: () => Promise<void>): Promise<void>;
}

/** The state of work that buttons start. */
export function useWork(): Work {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<QuipuError | null>(null);
  return {
    isBusy,
    problem,
    async act(work) {
      setBusy(true);
      try {
        await work();
        setProblem(null);
      } catch (error) {
        setProblem(problemOf(error));
      } finally {
        setBusy(false);
      }
    },
  };
}

export interface Action<Variables> extends Pick<Work, 'isBusy' | 'problem'> {
  run(variables: Variables): Promise<void>;
}

/** A mutation that a button starts. `onDone` is called after a success. */
export function useAction<Data, Variables>(
  client: Client,
  operation: Operation<Data, Variables>,
  onDone: (data: Data) => void,
): Action<Variables> {
  const { isBusy, problem, act } = useWork();
  const run = (variables: Variables): Promise<void> =>
    act(async () => {
      const { data, errors } = await client.ask(operation, variables);
      if (errors[0]) throw errors[0];
      if (data !== null) onDone(data);
    });
  return { isBusy, problem, run };
}
