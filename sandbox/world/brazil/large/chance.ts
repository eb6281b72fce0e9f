/** Returns a number from 0 up to 1 that depends on its arguments alone. @param salt distinguishes the questions about one serial number */
export function chance(serial: number, salt: number): number {
  let hash = Math.imul(serial + 1, 0x9e37_79b1) ^ Math.imul(salt + 1, 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 16), 0x7feb_352d);
  hash = Math.imul(hash ^ (hash >>> 15), 0x846c_a68b);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}

/** Returns a whole number from 0 to `below` - 1. With a greater `skew` small numbers are more frequent. */
export const wholeNumber = (below: number, serial: number, salt: number, skew = 1): number =>
  Math.floor(below * chance(serial, salt) ** skew);

/** Returns an element of a list. With a greater `skew` the first ones are more frequent. */
export const oneOf = <T>(list: readonly T[], serial: number, salt: number, skew = 1): T =>
  list[wholeNumber(list.length, serial, salt, skew)] as T;
