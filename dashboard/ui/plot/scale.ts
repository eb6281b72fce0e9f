/** The axis of a plot: from 0 to `top`, with lines at `ticks`. */
export interface Axis {
  readonly top: number;
  readonly ticks: readonly number[];
}

/** First digits of the top of an axis. The middle of each is a round number, too. */
const ROUND = [1, 2, 4, 6, 8, 10];

/** Returns the axis for whole numbers up to `max`: the lowest round number that is not smaller, and its half if that is whole. */
export function axisOf(max: number): Axis {
  if (max <= 1) return { top: 1, ticks: [0, 1] };
  const power = 10 ** Math.floor(Math.log10(max));
  const top = (ROUND.find((digit) => digit * power >= max) ?? 10) * power;
  return { top, ticks: Number.isInteger(top / 2) ? [0, top / 2, top] : [0, top] };
}

/** A part of a bar, from the bottom. Positions are shares of the axis. */
export interface Part {
  /** Number of its series. */
  readonly series: number;
  readonly from: number;
  readonly to: number;
}

/** Stacks the values of a bar, one of each series. Parts of 0 are left out. */
export function stackOf(values: readonly number[], { top }: Axis): readonly Part[] {
  let sum = 0;
  return values.flatMap((value, series) => {
    const from = sum / top;
    sum += value;
    return value > 0 ? [{ series, from, to: Math.min(1, sum / top) }] : [];
  });
}

/** Returns the numbers of the bars that have a label: the first, the last, and up to `count` with the same distance. */
export function labelled(bars: number, count: number): readonly number[] {
  if (bars <= count) return Array.from({ length: bars }, (_, i) => i);
  return Array.from({ length: count }, (_, i) => Math.round((i * (bars - 1)) / (count - 1)));
}

export const sumOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);
