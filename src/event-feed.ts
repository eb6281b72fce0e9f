/** Root value with which the server starts a subscription. */
export interface SubscriptionStart {
  /** Cursor of the last event that a reconnecting client received. It replaces the argument `after`. */
  readonly lastEventId?: string | undefined;
}

/**
 * Events as they come, for one reader. It may be cut off while its reader is busy with an event and asks for none: `cut` says so at
 * once, its reason being an AppError; so does the next `next`.
 */
export interface EventFeed<T> {
  readonly evicted: AbortSignal;
  /** Cursor of the event given last, or of the start before the first one; undefined for a feed that cannot be resumed. */
  readonly cursor: string | undefined;
  next(): Promise<IteratorResult<T, undefined>>;
  /** Ends it, also while a `next` waits. */
  return(): Promise<IteratorResult<T, undefined>>;
  [Symbol.asyncIterator](): EventFeed<T>;
}
