/** The longest words that are compared; what is longer differs. */
const MAX_LENGTH = 64;

let before = new Uint8Array(MAX_LENGTH + 1);
let previous = new Uint8Array(MAX_LENGTH + 1);
let current = new Uint8Array(MAX_LENGTH + 1);

/**
 * Number of letters to insert, delete, replace or swap with their neighbour to turn one word into the other (optimal string alignment).
 * Returns `budget + 1` when it is above `budget`.
 */
export function editDistance(a: string, b: string, budget: number): number {
  if (a === b) return 0;
  const beyond = budget + 1;
  if (Math.abs(a.length - b.length) > budget || a.length > MAX_LENGTH || b.length > MAX_LENGTH) return beyond;
  for (let j = 0; j <= b.length; j += 1) previous[j] = j;
  for (let i = 1; i <= a.length; i += 1) {
    current[0] = i;
    let least = i;
    for (let j = 1; j <= b.length; j += 1) {
      const cost = a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1;
      let edits = Math.min(at(previous, j) + 1, at(current, j - 1) + 1, at(previous, j - 1) + cost);
      if (i > 1 && j > 1 && a.charCodeAt(i - 1) === b.charCodeAt(j - 2) && a.charCodeAt(i - 2) === b.charCodeAt(j - 1)) {
        edits = Math.min(edits, at(before, j - 2) + 1);
      }
      current[j] = edits;
      if (edits < least) least = edits;
    }
    if (least > budget) return beyond;
    [before, previous, current] = [previous, current, before];
  }
  return Math.min(at(previous, b.length), beyond);
}

const at = (row: Uint8Array, i: number): number => row[i] ?? 0;
