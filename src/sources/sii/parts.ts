/**
 * What the tuples of a load say, and where they go: the number that stands in for their version.
 * later: a company's row of a newer year than the one that went before; past: what an older year says of a company; standing: what
 * the list of names says of one that has a row; activity, place: what a company's row may lack; catalogue: the text of an
 * activity's code.
 */
export const PARTS = { later: -1, past: -2, standing: -3, activity: -4, place: -5, catalogue: -6 } as const;
export type Part = keyof typeof PARTS;

/** Columns of a tuple, in order, with their types. */
export const COLUMNS = [
  'version_id bigint',
  'rut integer',
  'name text',
  'commercial_year smallint',
  'started_on date',
  'first_registered_on date',
  'ended_on date',
  'end_kind text',
  'sales_bracket smallint',
  'workers integer',
  'activity_code text',
  'activity text',
  'region text',
  'commune text',
  'kind text',
] as const;
