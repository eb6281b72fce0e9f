/** Table of the rows of all versions, of which each is a partition. */
export const PARENT = 'cl_ownership_rows';

/**
 * SQL: the text of a share that is no percentage, in a group of rows `c` of one owner; null if there is none. It is one of them if there are
 * several.
 */
export const TEXT_SQL = 'max(c.share_text)';

/** SQL: the sum of the shares of a group of rows of one owner; null if one is not known, or they are more than all of the capital. */
export const shareSql = (share: string): string =>
  `CASE WHEN count(*) = count(${share}) AND sum(${share}) <= 100.5 THEN trim_scale(least(sum(${share}), 100)) END`;
