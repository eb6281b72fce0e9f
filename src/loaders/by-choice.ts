/**
 * Creates a function that returns the loader of a choice of lists. Each choice has one loader, because a loader is the token of its cached
 * answers; there are as many as choices of known lists. The name of a loader must contain its choice (`nameOfChoice`).
 * @param all lists that can be chosen; other names in a choice are ignored, and the order and repetitions do not matter
 */
export function byChoice<L extends string, T>(all: readonly L[], create: (chosen: readonly L[]) => T): (chosen: readonly string[]) => T {
  const created = new Map<string, T>();
  return (chosen) => {
    const lists = chosen.length === 0 ? [] : all.filter((list) => chosen.includes(list));
    const key = lists.join();
    const known = created.get(key);
    if (known !== undefined) return known;
    const loader = create(lists);
    created.set(key, loader);
    return loader;
  };
}

/** Returns the name of the loader of a choice: `debarment`, or `debarment+CEPIM,TCU_INIDONEOS`. */
export const nameOfChoice = (name: string, chosen: readonly string[]): string => (chosen.length === 0 ? name : `${name}+${chosen.join()}`);
