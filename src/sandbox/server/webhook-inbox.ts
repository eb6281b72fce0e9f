/** A request that came to a webhook address of the sandbox. */
export interface Received {
  /** ISO 8601, UTC. */
  readonly received_at: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  /** As it came, to the byte: what signatures are made over. */
  readonly body: string;
}

/** Requests kept of each name. */
const KEPT = 100;

/** Webhook addresses to try things with: whatever is sent to a name is kept under it, and can be read. */
export class WebhookInbox {
  readonly #byName = new Map<string, Received[]>();

  receive(name: string, request: Received): void {
    const kept = this.#byName.get(name) ?? [];
    kept.push(request);
    if (kept.length > KEPT) kept.shift();
    this.#byName.set(name, kept);
  }

  /** The last 100 of a name, oldest first. */
  received(name: string): readonly Received[] {
    return this.#byName.get(name) ?? [];
  }
}
