import { useCallback, useEffect, useState } from 'react';
import { type Answer, ApiError, type Client } from '../api/client.ts';
import type { Operation } from '../api/operations.ts';

/** An answer as a page shows it. After a failure the last good answer stays, beside the problem. */
export interface Shown<Data> {
  readonly answer: Answer<Data> | null;
  readonly problem: ApiError | null;
  readonly reload: () => void;
}

/** Asks when the page opens, when a variable changes, and again for each new value of `version`. Every `everyMs` too, where given. */
export function useAnswer<Data, Variables>(
  client: Client,
  operation: Operation<Data, Variables>,
  variables: Variables,
  { version = '', everyMs }: { readonly version?: string; readonly everyMs?: number } = {},
): Shown<Data> {
  const [answer, setAnswer] = useState<Answer<Data> | null>(null);
  const [problem, setProblem] = useState<ApiError | null>(null);
  const [count, setCount] = useState(0);
  const reload = useCallback(() => setCount((before) => before + 1), []);
  const question = JSON.stringify(variables);

  // biome-ignore lint/correctness/useExhaustiveDependencies: version and count ask again
  useEffect(() => {
    const ended = new AbortController();
    client.ask(operation, JSON.parse(question) as Variables, ended.signal).then(
      (read) => {
        if (ended.signal.aborted) return;
        if (read.data !== null) setAnswer(read);
        setProblem(read.data === null ? (read.errors[0] ?? null) : null);
      },
      (error: unknown) => {
        if (!ended.signal.aborted) setProblem(error instanceof ApiError ? error : new ApiError('INTERNAL', String(error)));
      },
    );
    return () => ended.abort();
  }, [client, operation, question, version, count]);

  useEffect(() => {
    if (everyMs === undefined) return;
    const timer = setInterval(reload, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, reload]);

  return { answer, problem, reload };
}
