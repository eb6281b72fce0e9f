import { useEffect, useRef, useState } from 'react';
import type { QuipuError } from '../../clients/typescript/src/error.ts';
import { type Client, problemOf } from '../api/client.ts';
import { eventsOf } from '../api/follow.ts';
import type { Operation } from '../api/operations.ts';

/**
 * Times after the opening of a connection at which the data is read again, because a server does not tell when a subscription has begun:
 * usually within a second, on a busy machine within ten. Earlier events are not sent.
 */
const RELOAD_AFTER_MS = [1_000, 10_000];

interface EventOptions<Data> {
  readonly onData: (data: Data) => void;
  /** Reads the same data by query, twice after each connection opened. */
  readonly reload: () => void;
  /** Reads it every `everyMs` while no connection is open, unless an answer is pending. */
  readonly poll: () => void;
  readonly everyMs: number;
}

/**
 * Subscribes while the component is shown.
 * @param variables variables; null for no subscription
 * @returns refusal of the server that is not retryable; null without one
 */
export function useEvents<Data, Variables>(
  client: Client,
  operation: Operation<Data, Variables>,
  variables: Variables | null,
  { onData, reload, poll, everyMs }: EventOptions<Data>,
): QuipuError | null {
  const [refused, setRefused] = useState<QuipuError | null>(null);
  const [isOpen, setOpen] = useState(false);
  const variablesJson = JSON.stringify(variables);
  const handler = useRef(onData);
  useEffect(() => {
    handler.current = onData;
  });

  useEffect(() => {
    const given = JSON.parse(variablesJson) as Variables | null;
    if (given === null) return;
    const ended = new AbortController();
    const { signal } = ended;
    let timers: readonly ReturnType<typeof setTimeout>[] = [];
    const onOpen = (): void => {
      setOpen(true);
      setRefused(null);
      timers = RELOAD_AFTER_MS.map((ms) => setTimeout(reload, ms));
    };
    const close = (): void => {
      setOpen(false);
      for (const timer of timers) clearTimeout(timer);
    };
    async function follow(subscribed: Variables): Promise<void> {
      const options = { signal, onOpen, onRetry: close };
      for await (const { data } of eventsOf({ client, operation, variables: subscribed }, options)) if (data) handler.current(data);
    }
    follow(given).catch((error: unknown) => {
      if (signal.aborted) return;
      close();
      setRefused(problemOf(error));
    });
    return () => {
      ended.abort();
      close();
    };
  }, [client, operation, variablesJson, reload]);

  const isWaiting = variables !== null && !isOpen;
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(poll, everyMs);
    return () => clearInterval(timer);
  }, [isWaiting, everyMs, poll]);

  return refused;
}
