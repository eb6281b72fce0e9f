import type { Knex } from 'knex';
import { AppError } from '../../../src/domain/errors.ts';
import { isoDate } from '../../../src/domain/time.ts';
import { OWNERSHIP_FIELDS } from '../../../src/sources/cl-ownership/change-field.ts';
import { edge, type ownershipDb, rutOf } from './support.ts';

/** Companies of which files of several years are compared. */
export const [A, B, C, D] = [76_900_001, 76_900_014, 76_900_028, 76_900_031];
/** A copy of a test. */
type OwnershipCopy = ReturnType<ReturnType<typeof ownershipDb>['copy']>;

/** A company whose owners no file changes, so that each file has an owner that is a company. */
export const UNCHANGED = [edge(D, A, '100')];

export const DAY = Date.UTC(2025, 10, 25);
export const YEAR_LATER = Date.UTC(2026, 10, 26);

export async function historyOf(source: OwnershipCopy, company: number, page: { first?: number; after?: number | null } = {}) {
  const query = { rut: rutOf(company), fields: OWNERSHIP_FIELDS, first: 100, after: null, ...page };
  const [found] = (await source.history([query])).pages;
  return found;
}

export async function changesOf(source: OwnershipCopy, company: number) {
  const found = await historyOf(source, company);
  if (!found || found instanceof AppError) throw found;
  return found.changes.map(({ field, owner, before, after }) => [field, owner, before, after]);
}

export async function asOf(source: OwnershipCopy, company: number, date: number | string) {
  const day = typeof date === 'string' ? date : isoDate(date);
  const [found] = (await source.compositionsAsOf([{ rut: rutOf(company), asOf: day }])).found;
  return found;
}

export const codeOf = (found: unknown) => (found instanceof AppError ? [found.code, found.message] : found);

/** Returns functions that count what is stored of the versions of a test. */
export const countsIn = (knex: () => Knex) => ({ counted: () => counted(knex()), compared: () => compared(knex()) });

/** Returns the number of stored changes of the versions of this test. */
async function counted(knex: Knex): Promise<number> {
  const { rows } = await knex.raw(
    `SELECT count(*)::int AS n FROM cl_ownership_changes c JOIN cl_ownership_comparisons p ON p.id = c.comparison_id
     WHERE p.to_version IN (SELECT id FROM registry_versions)`,
  );
  return rows[0].n;
}

/** Returns the number of stored comparisons of the versions of this test. */
async function compared(knex: Knex): Promise<number> {
  const { rows } = await knex.raw(
    'SELECT count(*)::int AS n FROM cl_ownership_comparisons WHERE to_version IN (SELECT id FROM registry_versions)',
  );
  return rows[0].n;
}
