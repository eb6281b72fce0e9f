import { useEffect, useRef, useState } from 'react';
import type { ApiError, Client } from '../api/client.ts';
import { keepConnected, subscribeOnce } from '../api/connection.ts';
import type { Operation } from '../api/operations.ts';

/**
 * Times after the opening of a connection at which the data is read again, because a server does not tell when a subscription has begun:
 * usually within a second, on a busy machine within ten. Earlier events are not sent.
 */
const RELOAD_AFTER_MS = [1_000, 10_000];

interface EventOptions<Data> {
  readonly onData: (data: Data) => void;
  /** Reads the same data by query: twice after each connection opened, and every `everyMs` while none is open. */
  readonly reload: () => void;
  readonly everyMs: number;
}

/**
 * Subscribes while the component is shown.
 * @param variables variables; null for no subscription
 * @returns permanent refusal of the server; null without one
 */
export function useEvents<Data, Variables>(
  client: Client,
  operation: Operation<Data, Variables>,
  variables: Variables | null,
  { onData, reload, everyMs }: EventOptions<Data>,
): ApiError | null {
  const [refused, setRefused] = useState<ApiError | null>(null);
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
    const events = {
      onOpen: () => {
        setOpen(true);
        setRefused(null);
        timers = RELOAD_AFTER_MS.map((ms) => setTimeout(reload, ms));
      },
      onData: (data: Data) => {
        if (!signal.aborted) handler.current(data);
      },
    };
    const close = (): void => {
      setOpen(false);
      for (const timer of timers) clearTimeout(timer);
    };
    const refuse = (error: ApiError): void => {
      close();
      setRefused(error);
    };
    const attempt = (): Promise<void> => subscribeOnce({ client, operation, variables: given, signal }, events);
    void keepConnected(attempt, { signal, onOffline: close, onRefused: refuse });
    return () => {
      ended.abort();
      close();
    };
  }, [client, operation, variablesJson, reload]);

  const isWaiting = variables !== null && !isOpen;
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(reload, everyMs);
    return () => clearInterval(timer);
  }, [isWaiting, everyMs, reload]);

  return refused;
}
