import { z } from 'zod';

/**
 * Schema of a list whose items all have the shape of `row`. Parsing stops at the first item of another shape, so that a list of wrong
 * items costs as little as one of them; `z.array` would report every item.
 */
export const rowsOf = <T>(row: z.ZodType<T>): z.ZodType<T[]> =>
  z.custom<readonly unknown[]>(Array.isArray, 'expected a list').transform((items, context): T[] => {
    const rows: T[] = [];
    for (const [index, item] of items.entries()) {
      const read = row.safeParse(item);
      if (!read.success) {
        for (const { message, path } of read.error.issues) context.addIssue({ code: 'custom', message, path: [index, ...path] });
        return z.NEVER;
      }
      rows.push(read.data);
    }
    return rows;
  });
