/** The figure that a measurement has to reach. */
export type Target = { readonly atLeast: number; readonly unit?: string } | { readonly atMost: number; readonly unit?: string };

export const isReached = (value: number, target: Target): boolean =>
  'atLeast' in target ? value >= target.atLeast : value <= target.atMost;

/** Writes a target, e.g. `at least 4` or `at most 50 ms`. */
export function targetText(target: Target): string {
  const bound = 'atLeast' in target ? `at least ${target.atLeast}` : `at most ${target.atMost}`;
  return target.unit === undefined ? bound : `${bound} ${target.unit}`;
}

/** Writes a target beside the figure, e.g. `target at least 4: missed`. */
export const verdictOn = (value: number, target: Target): string =>
  `target ${targetText(target)}: ${isReached(value, target) ? 'reached' : 'missed'}`;
