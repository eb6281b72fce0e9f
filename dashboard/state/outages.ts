import type { SourceHistory } from '../api/operations.ts';

export type SourcePoint = SourceHistory['sourceHistory'][number];

const HOUR_MS = 3_600_000;

/** Time that a plot shows: its days, and the hours of a bar. */
export const PERIODS = [
  { days: 1, hours: 1 },
  { days: 7, hours: 6 },
  { days: 30, hours: 24 },
] as const;
export type Period = (typeof PERIODS)[number];

/** A span of time with its calls; null for a span without a call. */
export interface OutageBar {
  /** Epoch ms. */
  readonly at: number;
  readonly point: SourcePoint | null;
}

/** Returns the spans of a period until now, with the points that were recorded. */
export function outageBars(points: readonly SourcePoint[], { days, hours }: Period, now: number): readonly OutageBar[] {
  const spanMs = hours * HOUR_MS;
  const last = now - (now % spanMs);
  const byTime = new Map(points.map((point) => [Date.parse(point.from), point]));
  const count = (days * 24) / hours;
  return Array.from({ length: count }, (_, i) => {
    const at = last - (count - 1 - i) * spanMs;
    return { at, point: byTime.get(at) ?? null };
  });
}
