/** `dropped`: given up, because its monitor was cancelled or disabled; attempts may have come before. */
export type DeliveryState = 'pending' | 'sending' | 'delivered' | 'failed' | 'dropped';

/** One event on its way to one receiver, however often it is tried. Times are epoch ms. */
export interface Delivery {
  /** UUID; callers see `dlv_…`. */
  readonly id: string;
  readonly monitorId: string;
  readonly keyId: string;
  /** Null for a test event. */
  readonly changeId: string | null;
  /** `webhook-id`. */
  readonly eventId: string;
  readonly state: DeliveryState;
  readonly createdAt: number;
  readonly settledAt: number | null;
  /** Null once settled. */
  readonly nextAttemptAt: number | null;
  /** Position of its latest news in the stream `deliveries`. */
  readonly revision: number;
}

/** One request to a receiver. */
export interface Attempt {
  /** From 1. */
  readonly number: number;
  /** Epoch ms. */
  readonly startedAt: number;
  /** Until the headers; null while under way, and for one that our own end cut off. */
  readonly latencyMs: number | null;
  /** HTTP status; null where none came. */
  readonly status: number | null;
  /** Why it failed, in one word; null for a success. */
  readonly error: string | null;
  /** First 1 KiB of the body. */
  readonly answer: string | null;
}
