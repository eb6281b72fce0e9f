import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

/** Findings that are accepted, by file: these migrations are part of the first release, before any table had rows. */
const ACCEPTED: Readonly<Record<string, readonly string[]>> = {
  '20261121000007_accounts.ts': [
    'drops what the release before reads',
    'drops what the release before reads',
    'demands a value that the release before does not write',
    'builds an index under a lock',
  ],
  '20261122000000_delivery_partitions.ts': ['renames what the release before reads', 'renames what the release before reads'],
};
const FOLDER = path.resolve(import.meta.dirname, '../../migrations');

/**
 * Statements that break the previous release, or hold a lock for a time that grows with the table. Of a break they find the usual forms
 * only: additive-migrations.test.ts finds the others in the schema itself.
 */
const RULES: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['drops what the release before reads', /\bDROP\s+(TABLE|COLUMN)\b/i],
  ['renames what the release before reads', /\bRENAME\s+(TO|COLUMN)\b/i],
  ['rewrites a table', /\bALTER\s+COLUMN\s+\S+\s+(SET\s+DATA\s+)?TYPE\b/i],
  [
    'demands a value that the release before does not write',
    /\bADD\s+COLUMN\b(?!(?:\([^)]*\)|[^,;(])*\bDEFAULT\b)(?:\([^)]*\)|[^,;(])*\bNOT\s+NULL\b|\bSET\s+NOT\s+NULL\b/i,
  ],
  ['checks all rows under a lock', /\bADD\s+(CONSTRAINT\b[^,;]*\b)?(CHECK|FOREIGN\s+KEY)\b(?![^;]*\bNOT\s+VALID\b)/i],
  ['builds an index under a lock', /\bCREATE\s+(UNIQUE\s+)?INDEX\s+(?!CONCURRENTLY)\w*\s*(IF\s+NOT\s+EXISTS\s+\w+\s+)?ON\s+(\w+)/i],
  ['is not written in SQL, which these rules read', /\bknex\.schema\b/i],
];

/** The rules that the `up` half of a migration breaks. Tables that the migration itself creates are exempt: no release uses them yet. */
function findings(text: string): readonly string[] {
  const forward = text.split('export async function down')[0] ?? '';
  const own = [...forward.matchAll(/CREATE TABLE (\w+)/gi)].map(([, table = '']) => table);
  return RULES.flatMap(([name, pattern]) =>
    [...forward.matchAll(new RegExp(pattern, 'gi'))].filter((found) => !own.includes(found.at(-1) ?? '')).map(() => name),
  );
}

describe('DB-07 migrations', () => {
  it('DB-07 neither break the release before nor hold long locks', () => {
    const files = globSync('*.ts', { cwd: FOLDER });
    expect(files.length).toBeGreaterThan(10);
    const found = files.map((file) => [file, findings(readFileSync(path.join(FOLDER, file), 'utf8'))]);
    expect(found).toEqual(files.map((file) => [file, ACCEPTED[file] ?? []]));
  });

  it.each([
    ['CREATE TABLE new_one (id int NOT NULL); CREATE INDEX i ON new_one (id)', []],
    ['ALTER TABLE keys ADD COLUMN note text', []],
    ["ALTER TABLE keys ADD COLUMN plan text NOT NULL DEFAULT 'standard'", []],
    ['CREATE INDEX CONCURRENTLY i ON keys (id)', []],
    ['ALTER TABLE keys ADD COLUMN plan text NOT NULL', ['demands a value that the release before does not write']],
    ['ALTER TABLE keys ADD COLUMN price numeric(10, 2) NOT NULL', ['demands a value that the release before does not write']],
    ['ALTER TABLE keys ADD COLUMN price numeric(10, 2) NOT NULL DEFAULT 0', []],
    ['ALTER TABLE keys ALTER COLUMN plan SET NOT NULL', ['demands a value that the release before does not write']],
    ['ALTER TABLE keys DROP COLUMN plan', ['drops what the release before reads']],
    ['ALTER TABLE keys RENAME COLUMN plan TO terms', ['renames what the release before reads']],
    ['ALTER TABLE keys ALTER COLUMN plan TYPE varchar(9)', ['rewrites a table']],
    ['ALTER TABLE keys ADD CONSTRAINT c CHECK (id > 0)', ['checks all rows under a lock']],
    ['ALTER TABLE keys ADD CONSTRAINT c CHECK (id > 0) NOT VALID', []],
    ['CREATE UNIQUE INDEX i ON keys (id)', ['builds an index under a lock']],
    [`await knex.schema.table('keys', (table) => table.dropColumn('plan'))`, ['is not written in SQL, which these rules read']],
    ['export async function down() { DROP TABLE keys }', []],
  ])('DB-07 judges %j as %j', (sql, faults) => {
    expect(findings(sql)).toEqual(faults);
  });
});
