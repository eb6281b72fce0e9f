import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';

/** The last migration of the first release: those up to it made tables that nobody had. */
const FIRST_RELEASE = '20261121000010_erasure.ts';
const FOLDER = path.resolve(import.meta.dirname, '../../migrations');

/** What breaks the release before, or holds a lock for as long as a table is large. */
const RULES: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['drops what the release before reads', /\bDROP\s+(TABLE|COLUMN)\b/i],
  ['renames what the release before reads', /\bRENAME\s+(TO|COLUMN)\b/i],
  ['rewrites a table', /\bALTER\s+COLUMN\s+\S+\s+(SET\s+DATA\s+)?TYPE\b/i],
  [
    'demands a value that the release before does not write',
    /\bADD\s+COLUMN\b(?![^,;]*\bDEFAULT\b)[^,;]*\bNOT\s+NULL\b|\bSET\s+NOT\s+NULL\b/i,
  ],
  ['checks all rows under a lock', /\bADD\s+(CONSTRAINT\b[^,;]*\b)?(CHECK|FOREIGN\s+KEY)\b(?![^;]*\bNOT\s+VALID\b)/i],
  ['builds an index under a lock', /\bCREATE\s+(UNIQUE\s+)?INDEX\s+(?!CONCURRENTLY)\w*\s*(IF\s+NOT\s+EXISTS\s+\w+\s+)?ON\s+(\w+)/i],
];

/** Why the forward half of a migration must not be shipped beside a running release. Tables that it makes itself are nobody's yet. */
function findings(text: string): readonly string[] {
  const forward = text.split('export async function down')[0] ?? '';
  const own = [...forward.matchAll(/CREATE TABLE (\w+)/gi)].map(([, table = '']) => table);
  return RULES.flatMap(([name, pattern]) =>
    [...forward.matchAll(new RegExp(pattern, 'gi'))].filter((found) => !own.includes(found.at(-1) ?? '')).map(() => name),
  );
}

describe('DB-07 migrations after the first release', () => {
  it('DB-07 neither break the release before nor hold long locks', () => {
    const later = globSync('*.ts', { cwd: FOLDER }).filter((file) => file > FIRST_RELEASE);
    expect(later.map((file) => [file, findings(readFileSync(path.join(FOLDER, file), 'utf8'))])).toEqual(later.map((file) => [file, []]));
  });

  it.each([
    ['CREATE TABLE new_one (id int NOT NULL); CREATE INDEX i ON new_one (id)', []],
    ['ALTER TABLE keys ADD COLUMN note text', []],
    ["ALTER TABLE keys ADD COLUMN plan text NOT NULL DEFAULT 'standard'", []],
    ['CREATE INDEX CONCURRENTLY i ON keys (id)', []],
    ['ALTER TABLE keys ADD COLUMN plan text NOT NULL', ['demands a value that the release before does not write']],
    ['ALTER TABLE keys ALTER COLUMN plan SET NOT NULL', ['demands a value that the release before does not write']],
    ['ALTER TABLE keys DROP COLUMN plan', ['drops what the release before reads']],
    ['ALTER TABLE keys RENAME COLUMN plan TO terms', ['renames what the release before reads']],
    ['ALTER TABLE keys ALTER COLUMN plan TYPE varchar(9)', ['rewrites a table']],
    ['ALTER TABLE keys ADD CONSTRAINT c CHECK (id > 0)', ['checks all rows under a lock']],
    ['ALTER TABLE keys ADD CONSTRAINT c CHECK (id > 0) NOT VALID', []],
    ['CREATE UNIQUE INDEX i ON keys (id)', ['builds an index under a lock']],
    ['export async function down() { DROP TABLE keys }', []],
  ])('DB-07 judges %j as %j', (sql, faults) => {
    expect(findings(sql)).toEqual(faults);
  });
});
