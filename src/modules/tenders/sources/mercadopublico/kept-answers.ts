import type { Clock } from '../../../../domain/time.ts';

const MOST = 5_000;

/** Answers kept for a while under names of their own, the oldest let go first. Whoever asks for a name knows its type. */
export interface KeptAnswers {
  find<T>(name: string): { readonly answer: T } | undefined;
  keep<T>(name: string, answer: T, forMs: number): T;
}

export function createKeptAnswers(now: Clock): KeptAnswers {
  const kept = new Map<string, { readonly answer: unknown; readonly until: number }>();
  return {
    find<T>(name: string) {
      const found = kept.get(name);
      return found && now() < found.until ? { answer: found.answer as T } : undefined;
    },
    keep(name, answer, forMs) {
      kept.delete(name);
      kept.set(name, { answer, until: now() + forMs });
      const [oldest] = kept.keys();
      if (kept.size > MOST && oldest !== undefined) kept.delete(oldest);
      return answer;
    },
  };
}
