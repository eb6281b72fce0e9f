/**
 * Events as they come, for one reader. It may be cut off while its reader is busy with an event and asks for none: `cut` says so at
 * once, its reason being an AppError; so does the next `next`.
 */
export interface EventFeed<T> {
  readonly evicted: AbortSignal;
  next(): Promise<IteratorResult<T, undefined>>;
  /** Ends it, also while a `next` waits. */
  return(): Promise<IteratorResult<T, undefined>>;
  [Symbol.asyncIterator](): EventFeed<T>;
}
