import { useCallback, useEffect, useRef, useState } from 'react';
import type { QuipuError } from '../../clients/typescript/src/error.ts';
import { type Answer, type Client, problemOf } from '../api/client.ts';
import type { Operation } from '../api/operations.ts';

/** An answer on a page. After a failure the last successful answer stays, beside the problem. */
export interface Shown<Data> {
  readonly answer: Answer<Data> | null;
  /** Epoch ms at which the answer arrived, or an event changed it; null before the first. */
  readonly readAt: number | null;
  readonly problem: QuipuError | null;
  readonly reload: () => void;
}

interface Changeable<Data> extends Shown<Data> {
  /** Changes the shown data by an event. A pending answer is changed, too, because it may be older than the event. */
  readonly change: (apply: (data: Data) => Data) => void;
}

/** Runs the query when the page opens, when a variable changes, for each new value of `version`, and every `everyMs` if it is given. */
export function useAnswer<Data, Variables>(
  client: Client,
  operation: Operation<Data, Variables>,
  variables: Variables,
  { version = '', everyMs }: { readonly version?: string; readonly everyMs?: number } = {},
): Changeable<Data> {
  const [read, setRead] = useState<{ readonly answer: Answer<Data>; readonly at: number } | null>(null);
  const [problem, setProblem] = useState<QuipuError | null>(null);
  const [count, setCount] = useState(0);
  /** Changes since the pending request was sent; null while none is pending. */
  const changes = useRef<((data: Data) => Data)[] | null>(null);
  const reload = useCallback(() => setCount((before) => before + 1), []);
  const change = useCallback((apply: (data: Data) => Data) => {
    changes.current?.push(apply);
    setRead((before) => {
      if (!before?.answer.data) return before;
      return { answer: { ...before.answer, data: apply(before.answer.data) }, at: Date.now() };
    });
  }, []);
  const question = JSON.stringify(variables);

  // biome-ignore lint/correctness/useExhaustiveDependencies: version and count ask again
  useEffect(() => {
    const ended = new AbortController();
    changes.current = [];
    client.ask(operation, JSON.parse(question) as Variables, ended.signal).then(
      (answer) => {
        if (ended.signal.aborted) return;
        let { data } = answer;
        if (data !== null) for (const apply of changes.current ?? []) data = apply(data);
        changes.current = null;
        if (data !== null) setRead({ answer: { ...answer, data }, at: Date.now() });
        setProblem(data === null ? (answer.errors[0] ?? null) : null);
      },
      (error: unknown) => {
        if (ended.signal.aborted) return;
        changes.current = null;
        setProblem(problemOf(error));
      },
    );
    return () => ended.abort();
  }, [client, operation, question, version, count]);

  useEffect(() => {
    if (everyMs === undefined) return;
    const timer = setInterval(reload, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, reload]);

  return { answer: read?.answer ?? null, readAt: read?.at ?? null, problem, reload, change };
}
