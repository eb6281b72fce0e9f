import { setTimeout as delay } from 'node:timers/promises';
import { BenchFailure } from '../harness/bench.ts';

const POLL_MS = 10;
const LONGEST_MS = 30_000;

/** Numbered changes, with the times at which each was published and received, possibly several times. */
export class Marks {
  readonly #made = new Map<string, number>();
  readonly #came = new Map<string, number[]>();
  #count = 0;

  /** Returns a new number, published now. */
  make(): string {
    this.#count += 1;
    const mark = String(this.#count);
    this.#made.set(mark, performance.now());
    this.#came.set(mark, []);
    return mark;
  }

  /** Records an arrival. */
  readonly receive = (mark: string): void => {
    this.#came.get(mark)?.push(performance.now());
  };

  /** Returns the number of arrivals of a mark. */
  count(mark: string): number {
    return this.#came.get(mark)?.length ?? 0;
  }

  /** Waits until each of these has arrived `times` times. @throws BenchFailure when one arrives less or more often */
  async all(marks: readonly string[], times: number): Promise<void> {
    const deadline = performance.now() + LONGEST_MS;
    const missing = () => marks.filter((mark) => this.count(mark) < times);
    while (missing().length > 0 && performance.now() < deadline) await delay(POLL_MS);
    const wrong = marks.find((mark) => this.count(mark) !== times);
    if (wrong) throw new BenchFailure(`a change came ${this.count(wrong)} times instead of ${times}`);
  }

  /** Returns the latency from publication to arrival, in ms, for every arrival of these. */
  latencies(marks: readonly string[]): readonly number[] {
    return marks.flatMap((mark) => (this.#came.get(mark) ?? []).map((at) => at - (this.#made.get(mark) ?? 0)));
  }
}
