/**
 * What the lines of a load say, and where they go: the number that stands in for their version.
 * company: a company's row, the newest there is; superseded: number and year of a company row that turned out not to be;
 * past: what an older year says of a company; standing: what the list of names says of one that has a row; activity, place:
 * what a company's row may lack; catalogue: the text of an activity's code.
 */
export const PARTS = { superseded: '-1', past: '-2', standing: '-3', activity: '-4', place: '-5', catalogue: '-6' } as const;
export type Part = keyof typeof PARTS;

/** Columns of a line, in order, after the version. */
export const COLUMNS = `rut, commercial_year, name, started_on, first_registered_on, ended_on, end_kind, sales_bracket, workers,
  activity_code, activity, region, commune, kind`;
