import { SECOND_MS } from '../../domain/time.ts';

/** Counts what comes within a second; true when it is more than `most`. */
export function tooMany(most: number): () => boolean {
  let count = 0;
  let since = Number.NEGATIVE_INFINITY;
  return () => {
    const now = performance.now();
    if (now - since >= SECOND_MS) {
      since = now;
      count = 0;
    }
    count += 1;
    return count > most;
  };
}
