/** Remembers what was made up for a day: the same day is asked for again and again. */
export function daily<T>(make: (day: string) => readonly T[]): (day: string) => readonly T[] {
  const made = new Map<string, readonly T[]>();
  return (day) => {
    const known = made.get(day) ?? make(day);
    made.set(day, known);
    return known;
  };
}
