import { type Observer, outcomeOf, withSpan } from '../domain/observer.ts';
import type { HttpClient } from './http/client.ts';
import type { OutboundClient } from './outbound/outbound.ts';

/** Wraps every call of a source's HTTP client in a span. */
export function observedHttp(client: HttpClient, name: string, observer: Observer | undefined): HttpClient {
  if (!observer) return client;
  return { ...client, get: (url, options) => withSpan(observer, { kind: 'call', name }, () => client.get(url, options)) };
}

/** Wraps every request of an outbound client in a span. `name` is the purpose, e.g. `webhook`. */
export function observedOutbound(client: OutboundClient, name: string, observer: Observer | undefined): OutboundClient {
  if (!observer) return client;
  return {
    ...client,
    async request(request) {
      const span = observer.startSpan({ kind: 'call', name });
      try {
        const answer = await span.run(() => client.request(request));
        span.end(answer.status < 300 ? 'ok' : `status_${Math.floor(answer.status / 100)}xx`);
        return answer;
      } catch (error) {
        span.end(outcomeOf(error));
        throw error;
      }
    },
  };
}
