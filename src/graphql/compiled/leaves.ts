import { type JoinedText, TextBuilder } from './json-text.ts';

/** Number of items that one call writes. */
const LEAVES_AT_ONCE = 256;

/**
 * Writes a list of plain scalars. Returns null when an item is not one or has an error, for which the caller needs its path. Lists of
 * scalars are the longest ones, such as 500 identifiers for each of 100 monitors, and a path and two texts for each item keep the garbage
 * collector busy.
 */
export function leavesText(values: readonly unknown[], serialize: (value: unknown) => unknown): JoinedText | null {
  if (values.length === 0 || !values.every(isPlain)) return null;
  const json = new TextBuilder();
  try {
    for (let start = 0; start < values.length; start += LEAVES_AT_ONCE) {
      const serialized = values.slice(start, start + LEAVES_AT_ONCE).map((value) => serialize(value));
      if (!serialized.every(isPlain)) return null;
      json.add(start === 0 ? '[' : ',', JSON.stringify(serialized).slice(1, -1));
    }
  } catch {
    return null;
  }
  return json.end(']');
}

/** Returns true for a value that a scalar serializes without help of its own. */
export const isPlain = (value: unknown): boolean => typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
