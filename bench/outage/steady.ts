import { setTimeout as delay } from 'node:timers/promises';
import type { LoadRequest } from '../harness/load.ts';

/** A request and its answer. */
export interface Sent {
  /** Time at which it was sent, by `performance.now()`. */
  readonly at: number;
  readonly ms: number;
  /** Status; null without an answer. */
  readonly status: number | null;
}

/** A stream of requests. */
export interface Stream {
  /** Ends the stream, and returns all requests in the order in which they were sent, once each is answered or timed out. */
  end(): Promise<readonly Sent[]>;
}

/** Time after which a request counts as unanswered. It is longer than the deadline of the service. */
const TIMEOUT_MS = 15_000;

/**
 * Sends a request at a constant rate, whatever happens to the requests before, so that refusals that are quick get no greater share than
 * answers, and requests that wait do not reduce the number of others.
 */
export function steadily({ url, headers, body }: LoadRequest, perSecond: number): Stream {
  const sending: Promise<Sent>[] = [];
  const ended = new AbortController();

  async function send(): Promise<Sent> {
    const at = performance.now();
    try {
      const answer = await fetch(url, { method: 'POST', headers, body, signal: AbortSignal.timeout(TIMEOUT_MS) });
      await answer.arrayBuffer();
      return { at, ms: performance.now() - at, status: answer.status };
    } catch {
      return { at, ms: performance.now() - at, status: null };
    }
  }

  async function run(): Promise<void> {
    const startedAt = performance.now();
    while (!ended.signal.aborted) {
      sending.push(send());
      const next = startedAt + (sending.length * 1_000) / perSecond;
      await delay(Math.max(0, next - performance.now()), undefined, { signal: ended.signal }).catch(() => undefined);
    }
  }

  const running = run();
  return {
    async end() {
      ended.abort();
      await running;
      return Promise.all(sending);
    },
  };
}
