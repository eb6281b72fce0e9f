import { createHash } from 'node:crypto';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { OPTIONAL_LISTS } from '../../src/domain/optional-lists.ts';
import { type Project, projectOf, readProject } from '../architecture/project.ts';

/*
 * A stored list is read anew only if its file or the version of its reader changes. The file `reader-versions.json` has the version and a
 * hash of the code of each reader, so that a change of the code without a new version is noticed.
 */

const WHAT_TO_DO =
  'The code of a reader has changed. If it reads a stored file with another result, increase its schemaVersion (SCHEMA_VERSION of sii): without it, a file that has not changed is not read again. Then write test/sources/reader-versions.json anew: npx vitest run --project service test/sources/reader-versions.test.ts --update';

const VERSION = /^(?: {2,4}schemaVersion: |const SCHEMA_VERSION = )(\d+)[,;]$/m;
/** Files in which a reader begins that is not in the file of its version. */
const READERS: Readonly<Record<string, readonly string[]>> = {
  'src/sources/sii/source.ts': ['src/sources/sii/published.ts', 'src/sources/sii/read.ts', 'src/sources/sii/store/merge.ts'],
  'src/sources/cl-ownership/source.ts': ['src/sources/cl-ownership/read.ts'],
};
/** Number of the readers of other lists and copies. */
const OTHER_READERS = 11;
/** Files that load, store and request, and read nothing. */
const NO_READERS =
  /^src\/(?!domain\/|sources\/|modules\/[\w-]+\/(?:source\.ts|sources\/))|^src\/sources\/(?:http|outbound|source\.ts|live-source\.ts|registry\/(?:copy-sync|define-registry|version-store)\.ts)/;

/** Version and hash of each reader, by the file of its version. */
function versionsOf(project: Project): Readonly<Record<string, { readonly version: number; readonly code: string }>> {
  const files = [...project.values()].filter(({ text }) => VERSION.test(text)).map((file) => file.path);
  return Object.fromEntries(
    files.map((file) => [
      file,
      {
        version: Number(VERSION.exec(project.get(file)?.text ?? '')?.[1]),
        code: hashOf(project, codeOf(project, READERS[file] ?? [file])),
      },
    ]),
  );
}

/** Returns the files whose code a reader runs, sorted. */
function codeOf(project: Project, roots: readonly string[]): readonly string[] {
  const found = new Set(roots);
  for (const file of found) {
    const imports = project.get(file)?.imports.filter(({ isLocal, isTypeOnly }) => isLocal && !isTypeOnly) ?? [];
    for (const { target } of imports) if (!NO_READERS.test(target)) found.add(target);
  }
  return [...found].sort();
}

/** Hash of the code without its comments, the version and the descriptions that the docs print. */
function hashOf(project: Project, files: readonly string[]): string {
  const hash = createHash('sha256');
  for (const file of files) hash.update(`${file}\n${codeIn(project.get(file)?.text ?? '')}\n`);
  return hash.digest('hex').slice(0, 16);
}

const codeIn = (text: string): string =>
  text
    .split('\n')
    .filter((line) => !/^\s*(?:\/\/|\/?\*)/.test(line) && !VERSION.test(line))
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');

describe('the version of a reader', () => {
  it('is increased with its code', async () => {
    const versions = versionsOf(readProject(path.resolve(import.meta.dirname, '../..'), 'src'));
    expect(Object.keys(versions)).toHaveLength(OTHER_READERS + Object.keys(OPTIONAL_LISTS).length);
    await expect(`${JSON.stringify(versions, null, 2)}\n`, WHAT_TO_DO).toMatchFileSnapshot('reader-versions.json');
  });

  const texts = {
    'src/modules/labor/source.ts':
      "import type { A } from '../../domain/a.ts';\nimport { b } from '../../sources/registry/b.ts';\nexport const spec = {\n  schemaVersion: 4,\n};\n",
    'src/domain/a.ts': '',
    'src/domain/c.ts': '/** The year. */\nexport const c = 1;\n',
    'src/sources/registry/b.ts': "import { c } from '../../domain/c.ts';\nimport { db } from '../../db/db.ts';\nexport const b = c;\n",
    'src/db/db.ts': '',
  };
  const codeWith = (change: Partial<typeof texts>) => versionsOf(projectOf({ ...texts, ...change }))['src/modules/labor/source.ts']?.code;

  it('is compared with the code that the reader imports, and with no type, comment or code of the database', () => {
    expect(codeWith({ 'src/domain/c.ts': 'export const c = 2;\n' })).not.toBe(codeWith({}));
    expect(codeWith({ 'src/modules/labor/source.ts': texts['src/modules/labor/source.ts'].replace('4', '5') })).toBe(codeWith({}));
    expect(codeWith({ 'src/domain/a.ts': 'export type A = 1;\n', 'src/db/db.ts': 'export const db = 1;\n' })).toBe(codeWith({}));
    expect(codeWith({ 'src/domain/c.ts': '/** The other year. */\nexport const c = 1;\n' })).toBe(codeWith({}));
  });
});
