/** Nesting depth of a JSON value: 0 for a number, 1 for `[1]`. Works level by level, because a body can be deeper than the call stack. */
export function nestingOf(value: unknown): number {
  let depth = 0;
  for (let level = [value].filter(isNested); level.length > 0; depth += 1)
    level = level.flatMap((one): unknown[] => Object.values(one)).filter(isNested);
  return depth;
}

const isNested = (value: unknown): value is object => typeof value === 'object' && value !== null;
