/** `2026-11` and -1 → `2026-10`. */
export function monthAfter(month: string, count: number): string {
  const months = Number(month.slice(0, 4)) * 12 + Number(month.slice(5, 7)) - 1 + count;
  return `${String(Math.floor(months / 12)).padStart(4, '0')}-${String((months % 12) + 1).padStart(2, '0')}`;
}

/** Months from the newest to the oldest, both included; none when they are in the wrong order. */
export function monthsBack(newest: string, oldest: string): readonly string[] {
  const months: string[] = [];
  for (let month = newest; month >= oldest; month = monthAfter(month, -1)) months.push(month);
  return months;
}

/** Months in any order → `2025-12 to 2026-03, 2026-05`. */
export function inRanges(months: readonly string[]): string {
  const ranges: { from: string; to: string }[] = [];
  for (const month of [...months].sort()) {
    const last = ranges.at(-1);
    if (last && month === monthAfter(last.to, 1)) last.to = month;
    else ranges.push({ from: month, to: month });
  }
  return ranges.map(({ from, to }) => (from === to ? from : `${from} to ${to}`)).join(', ');
}
