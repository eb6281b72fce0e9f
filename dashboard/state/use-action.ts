import { useState } from 'react';
import type { QuipuError } from '../../clients/typescript/src/error.ts';
import { type Client, problemOf } from '../api/client.ts';
import type { Operation } from '../api/operations.ts';

export interface Action<Variables> {
  readonly isBusy: boolean;
  /** Failure of the last run; null if it did not fail. */
  readonly problem: QuipuError | null;
  run(variables: Variables): Promise<void>;
}

/** A mutation that a button starts. `onDone` is called after a success. */
export function useAction<Data, Variables>(
  client: Client,
  operation: Operation<Data, Variables>,
  onDone: (data: Data) => void,
): Action<Variables> {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<QuipuError | null>(null);
  return {
    isBusy,
    problem,
    async run(variables) {
      setBusy(true);
      try {
        const { data, errors } = await client.ask(operation, variables);
        setProblem(errors[0] ?? null);
        if (errors.length === 0 && data !== null) onDone(data);
      } catch (error) {
        setProblem(problemOf(error));
      } finally {
        setBusy(false);
      }
    },
  };
}
