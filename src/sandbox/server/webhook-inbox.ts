/** A request to a webhook address of the sandbox. */
export interface Received {
  /** ISO 8601, UTC. */
  readonly received_at: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** Exact body text: webhook signatures are computed over it. */
  readonly body: string;
}

/** Number of requests kept per name. */
const KEPT = 100;

/** Stores the requests sent to webhook addresses, the last 100 per name. */
export class WebhookInbox {
  readonly #byName = new Map<string, Received[]>();

  receive(name: string, request: Received): void {
    const kept = this.#byName.get(name) ?? [];
    kept.push(request);
    if (kept.length > KEPT) kept.shift();
    this.#byName.set(name, kept);
  }

  /** Returns the last 100 requests of a name, oldest first. */
  received(name: string): readonly Received[] {
    return this.#byName.get(name) ?? [];
  }
}
