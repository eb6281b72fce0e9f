import { type Observer, observed, outcomeOf } from '../domain/observer.ts';
import type { HttpClient } from './http/client.ts';
import type { OutboundClient } from './outbound/outbound.ts';

/** A source's client whose calls are steps. */
export function observedHttp(client: HttpClient, name: string, observer: Observer | undefined): HttpClient {
  if (!observer) return client;
  return { ...client, get: (url, options) => observed(observer, { kind: 'call', name }, () => client.get(url, options)) };
}

/** The way to hosts that customers name, whose requests are steps; `name` says what for. */
export function observedOutbound(client: OutboundClient, name: string, observer: Observer | undefined): OutboundClient {
  if (!observer) return client;
  return {
    ...client,
    async request(request) {
      const running = observer.begin({ kind: 'call', name });
      try {
        const answer = await running.within(() => client.request(request));
        running.end(answer.status < 300 ? 'ok' : `status_${Math.floor(answer.status / 100)}xx`);
        return answer;
      } catch (error) {
        running.end(outcomeOf(error));
        throw error;
      }
    },
  };
}
