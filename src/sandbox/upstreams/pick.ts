/** One of a list by number, round and round: the same number is the same one everywhere. */
export const pick = <T>(list: readonly [T, ...T[]], number: number): T => list[number % list.length] ?? list[0];
