/**
 * Returns the nesting depth of a JSON value: 0 for a number, 1 for `[1]`. It works level by level, because a body can be deeper than the
 * call stack, and copies no list of parts, because a body can have hundreds of thousands.
 */
export function nestingOf(value: unknown): number {
  let depth = 0;
  for (let level = isNested(value) ? [value] : []; level.length > 0; depth += 1) {
    const next: object[] = [];
    const add = (part: unknown) => {
      if (isNested(part)) next.push(part);
    };
    for (const one of level) {
      if (Array.isArray(one)) one.forEach(add);
      else for (const name in one) add((one as Readonly<Record<string, unknown>>)[name]);
    }
    level = next;
  }
  return depth;
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;
