/** Root value with which the server starts a subscription. */
export interface SubscriptionStart {
  /** Cursor of the last event that a reconnecting client received. It replaces the argument `after`. */
  readonly lastEventId?: string | undefined;
}

/**
 * Events in the order of their arrival, for one reader. A feed may be evicted while its reader is busy with an event. `evicted` then
 * aborts at once, with an AppError as reason, and the next `next` throws it.
 */
export interface EventFeed<T> {
  readonly evicted: AbortSignal;
  /** Cursor of the last returned event, or of the start before the first one; undefined for a feed that cannot be resumed. */
  readonly cursor: string | undefined;
  next(): Promise<IteratorResult<T, undefined>>;
  /** Ends the feed, also while a `next` waits. */
  return(): Promise<IteratorResult<T, undefined>>;
  [Symbol.asyncIterator](): EventFeed<T>;
}
