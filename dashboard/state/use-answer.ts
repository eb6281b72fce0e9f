import { useCallback, useEffect, useRef, useState } from 'react';
import type { QuipuError } from '../../clients/typescript/src/error.ts';
import { type Answer, type Client, problemOf } from '../api/client.ts';
import type { Operation } from '../api/operations.ts';

/** An answer on a page. After a failure the last successful answer stays, beside the problem. */
export interface Shown<Data> {
  readonly answer: Answer<Data> | null;
  /** Epoch ms at which the answer arrived, or an event changed it; null before the first. */
  readonly readAt: number | null;
  /** Epoch ms at which the answer was asked for; null before the first. */
  readonly askedAt: number | null;
  /** True if the answer is to the present variables. An answer to earlier ones stays until the next arrives. */
  readonly isCurrent: boolean;
  readonly problem: QuipuError | null;
  /** Asks again. A pending answer is dropped, because it may be older than what the caller has done. */
  readonly reload: () => void;
  /** Asks again, unless an answer is pending. A service that needs longer than the interval of a poll would else never answer. */
  readonly poll: () => void;
}

interface Changeable<Data> extends Shown<Data> {
  /** Changes the shown data by an event. A pending answer is changed, too, because it may be older than the event. */
  readonly change: (apply: (data: Data) => Data) => void;
}

interface Read<Data> {
  readonly answer: Answer<Data>;
  readonly question: string;
  readonly askedAt: number;
  readonly at: number;
}

/** Runs the query when the page opens, when a variable changes, for each new value of `version`, and every `everyMs` if it is given. */
export function useAnswer<Data, Variables>(
  client: Client,
  operation: Operation<Data, Variables>,
  variables: Variables,
  { version = '', everyMs }: { readonly version?: string; readonly everyMs?: number } = {},
): Changeable<Data> {
  const [read, setRead] = useState<Read<Data> | null>(null);
  const [problem, setProblem] = useState<QuipuError | null>(null);
  const [count, setCount] = useState(0);
  /** Changes since the pending request was sent; null while none is pending. */
  const changes = useRef<((data: Data) => Data)[] | null>(null);
  const reload = useCallback(() => setCount((before) => before + 1), []);
  const poll = useCallback(() => {
    if (changes.current === null) reload();
  }, [reload]);
  const change = useCallback((apply: (data: Data) => Data) => {
    changes.current?.push(apply);
    setRead((before) => {
      if (!before?.answer.data) return before;
      return { ...before, answer: { ...before.answer, data: apply(before.answer.data) }, at: Date.now() };
    });
  }, []);
  const question = JSON.stringify(variables);

  // biome-ignore lint/correctness/useExhaustiveDependencies: version and count ask again
  useEffect(() => {
    const ended = new AbortController();
    const askedAt = Date.now();
    changes.current = [];
    client.ask(operation, JSON.parse(question) as Variables, ended.signal).then(
      (answer) => {
        if (ended.signal.aborted) return;
        let { data } = answer;
        if (data !== null) for (const apply of changes.current ?? []) data = apply(data);
        changes.current = null;
        if (data !== null) setRead({ answer: { ...answer, data }, question, askedAt, at: Date.now() });
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
    const timer = setInterval(poll, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, poll]);

  const { answer = null, at: readAt = null, askedAt = null } = read ?? {};
  return { answer, readAt, askedAt, isCurrent: read?.question === question, problem, reload, poll, change };
}
