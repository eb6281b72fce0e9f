/*
 * Keeps results with the objects that they are computed from, in a property of the object. A result lives as long as its object, so it needs
 * no bound, no age and no invalidation of its own. Use it for objects that requests share: answers, and what is made of them.
 */

/**
 * Associates a value with an object, like a WeakMap. The value is a property of the object, because V8 visits all entries of WeakMaps
 * several times in a full garbage collection, which stopped the process for 0.2 s with 20,000 cached companies. The property is not
 * enumerable, so copies, comparisons and JSON of the object exclude it. The object must be extensible.
 */
export class ObjectSlot<V> {
  readonly #key: symbol;

  constructor(description: string) {
    this.#key = Symbol(description);
  }

  get(object: object | null | undefined): V | undefined {
    return (object as { [key: symbol]: V | undefined } | null | undefined)?.[this.#key];
  }

  set(object: object, value: V): void {
    Object.defineProperty(object, this.#key, { value, writable: true });
  }
}

/**
 * Maximum number of results that are cached with one first part. The branches of a company share the answers of lists, so that one answer
 * has a result for each branch.
 */
const MAX_KEPT_RESULTS = 64;

/**
 * Memoises `compute`. The latest results are stored with their first part, by the other parts, as long as the first part is in memory.
 * Nothing is stored if it is null. `compute` must be pure.
 */
export function keepByParts<P extends readonly [object | null, ...unknown[]], R>(compute: (...parts: P) => R): (...parts: P) => R {
  const resultsOf = new ObjectSlot<{ readonly parts: P; readonly result: R }[]>('results');
  return (...parts) => {
    const [first] = parts;
    if (first === null) return compute(...parts);
    const results = resultsOf.get(first);
    if (results) for (const kept of results) if (areEqual(kept.parts, parts)) return kept.result;
    const result = compute(...parts);
    // Most objects have one result. An array that grows from empty allocates 17 places.
    if (!results) resultsOf.set(first, [{ parts, result }]);
    else if (results.push({ parts, result }) > MAX_KEPT_RESULTS) results.shift();
    return result;
  };
}

/** Compares parts in a loop, because this runs several times for each company of an answer. */
function areEqual(some: readonly unknown[], others: readonly unknown[]): boolean {
  for (let i = 0; i < some.length; i += 1) if (some[i] !== others[i]) return false;
  return some.length === others.length;
}
