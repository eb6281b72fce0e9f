import { useCallback, useEffect, useRef, useState } from 'react';
import { type Answer, ApiError, type Client } from '../api/client.ts';
import type { Operation } from '../api/operations.ts';

/** An answer as a page shows it. After a failure the last good answer stays, beside the problem. */
export interface Shown<Data> {
  readonly answer: Answer<Data> | null;
  readonly problem: ApiError | null;
  readonly reload: () => void;
}

interface Changeable<Data> extends Shown<Data> {
  /** Changes the data that is shown, as an event says. An answer that is being read meanwhile is changed, too: it may be older than the event. */
  readonly change: (apply: (data: Data) => Data) => void;
}

/** Asks when the page opens, when a variable changes, and again for each new value of `version`. Every `everyMs` too, where given. */
export function useAnswer<Data, Variables>(
  client: Client,
  operation: Operation<Data, Variables>,
  variables: Variables,
  { version = '', everyMs }: { readonly version?: string; readonly everyMs?: number } = {},
): Changeable<Data> {
  const [answer, setAnswer] = useState<Answer<Data> | null>(null);
  const [problem, setProblem] = useState<ApiError | null>(null);
  const [count, setCount] = useState(0);
  /** Changes since the running request was sent; null while none is running. */
  const changes = useRef<((data: Data) => Data)[] | null>(null);
  const reload = useCallback(() => setCount((before) => before + 1), []);
  const change = useCallback((apply: (data: Data) => Data) => {
    changes.current?.push(apply);
    setAnswer((before) => (before?.data ? { ...before, data: apply(before.data) } : before));
  }, []);
  const question = JSON.stringify(variables);

  // biome-ignore lint/correctness/useExhaustiveDependencies: version and count ask again
  useEffect(() => {
    const ended = new AbortController();
    changes.current = [];
    client.ask(operation, JSON.parse(question) as Variables, ended.signal).then(
      (read) => {
        if (ended.signal.aborted) return;
        let { data } = read;
        if (data !== null) for (const apply of changes.current ?? []) data = apply(data);
        changes.current = null;
        if (data !== null) setAnswer({ ...read, data });
        setProblem(data === null ? (read.errors[0] ?? null) : null);
      },
      (error: unknown) => {
        if (ended.signal.aborted) return;
        changes.current = null;
        setProblem(error instanceof ApiError ? error : new ApiError('INTERNAL', String(error)));
      },
    );
    return () => ended.abort();
  }, [client, operation, question, version, count]);

  useEffect(() => {
    if (everyMs === undefined) return;
    const timer = setInterval(reload, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, reload]);

  return { answer, problem, reload, change };
}
