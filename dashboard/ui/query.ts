/** Values of parameters of the address by their names. A parameter with an empty value is left out. */
export type Parameters = Readonly<Record<string, string | readonly string[]>>;

/** Writes the query of an address; empty without a value. */
export function queryOf(parameters: Parameters): string {
  const pairs = Object.entries(parameters).flatMap(([name, values]) => [values].flat().map((value) => [name, value]));
  const text = new URLSearchParams(pairs.filter(([, value]) => value !== '')).toString();
  return text === '' ? '' : `?${text}`;
}

/** Returns the value of a parameter if it is one of these; null for another one, because a link can be of another version. */
export const oneOf = <T extends string>(given: string | null | undefined, allowed: readonly T[]): T | null =>
  allowed.find((value) => value === given) ?? null;
