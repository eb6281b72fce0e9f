import path from 'node:path';
import { checkSync } from 'recheck';
import { expect, it } from 'vitest';
import { filesWithBuiltPatterns, literalPatterns, type Pattern } from './patterns.ts';

const root = path.resolve(import.meta.dirname, '../..');
const CHECKED = '{src,sandbox}';

/** Start of `file /expression/flags` → why it may take more than linear time. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  'src/cli/faithful-json.ts /("[^"\\\\]*': 'sees JSON that was parsed before, in which every quote is closed',
  'src/sources/domains/read-page.ts /[^\\s@<>()]+@': 'sees one statement of a line, which is cut to 400 characters before',
  'src/names/rereadings.ts /[\\d([/|': 'sees the first 500 characters of a name',
  'src/names/rereadings.ts /(?:\\b(?:N\\.?I': 'sees the first 500 characters of a name',
  // This one is linear. The checker has limits of time, and reports an attack on a busy machine.
  'src/names/rereadings.ts /[\\s,;-](?:FORMERLY': 'sees the first 500 characters of a name',
  'src/names/rereadings.ts /(?<![\\p{L}\\d.])': 'sees the first 500 characters of a name',
  'src/modules/tech/sources/own-site.ts /(?:https?:': 'runs in a process of its own with a deadline',
  'src/modules/tech/sources/fingerprints.ts /\\\\(\\d)\\?([^:]{0,99})': 'looks at 99 characters at most for each start',
};

/** Files that build expressions from text, which the check of literals does not see → why they are linear or see short text only. */
const BUILT: Readonly<Record<string, string>> = {
  'src/db/copy-rows.ts': 'one class of characters without a repetition',
  'src/domain/email-address.ts': 'the address has at most 254 octets',
  'src/messages/message.ts':
    'a text of the catalogue, in which each run of digits ends at a fixed character; it sees messages of our schemas',
  'src/modules/labor/source.ts': 'every match begins with a date of fixed length, and a repeated blank belongs to one match only',
  'src/modules/sanctions/sources/list-tax-ids.ts': 'labels of fixed letters with at most one character between two of them',
  'src/modules/tech/sources/fingerprints.ts': 'published fingerprints: they run in a process of their own with a deadline',
  'src/names/other-names.ts': 'fixed words with at most three blanks and marks before and after them',
  'src/names/words.ts': 'each expression is one class of characters without a repetition',
  'src/sources/copies/quoted-rows.ts': 'each repetition is bounded, and a line has at most 64 KiB',
  'src/sources/domains/page-document.ts': 'a tag is cut to 4,000 characters before',
  'src/sources/domains/read-page.ts': 'sees one statement of a line, which is cut to 400 characters before',
  'src/sources/domains/tax-numbers.ts': 'sees the words about a number, at most 400 characters, with bounded repetitions',
  'src/sources/receita-federal/copy/name-words.ts': 'a match begins at a blank and ends with its word, so each character is read once',
  'src/sources/registry/quoted-records.ts':
    'the first character of a cell, a comma or a quote decides each repetition; a record has at most 1 MiB',
};

/** The checker searches for attacks at random: with one seed its verdict on an expression is always the same. */
const SEED = 1;

const nameOf = ({ file, source, flags }: Pattern): string => `${file} /${source}/${flags}`;

/** True for an expression whose repetitions all have a maximum and repeat one character: its work for each character is bounded. */
function isBounded(source: string): boolean {
  const bare = source.replace(/\\./g, '').replace(/\[[^\]]*\]/g, '');
  return !/[*+]|\{\d+,\}|\)\{/.test(bare);
}

/** The text that makes an expression slow; or that the checker did not decide. Null for a linear one. */
function problemOf({ source, flags }: Pattern): string | null {
  if (isBounded(source)) return null;
  const result = checkSync(source, flags, { timeout: 120_000, randomSeed: SEED });
  if (result.status === 'safe') return null;
  return result.status === 'vulnerable' ? result.attack.pattern : `not decided: ${result.error.kind}`;
}

it('every regular expression of src and sandbox takes linear time, except those listed with a reason', { timeout: 600_000 }, () => {
  const patterns = literalPatterns(root, CHECKED);
  const isExcepted = (pattern: Pattern): boolean => Object.keys(EXCEPTIONS).some((start) => nameOf(pattern).startsWith(start));
  const problems = patterns.flatMap((pattern) => {
    const problem = isExcepted(pattern) ? null : problemOf(pattern);
    return problem === null ? [] : [{ name: nameOf(pattern), problem }];
  });
  expect(problems).toEqual([]);
  // Whether the checker finds the attack on an exception depends on its time, so the exception must exist only.
  expect(Object.keys(EXCEPTIONS).filter((start) => !patterns.some((pattern) => nameOf(pattern).startsWith(start)))).toEqual([]);
});

it('every file that builds an expression from text is listed with the reason why that is safe', () => {
  expect(filesWithBuiltPatterns(root, CHECKED)).toEqual(Object.keys(BUILT));
});
