import { createHash } from 'node:crypto';
import { globSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** Where the text of files comes from, by path from the root. */
export interface Tree {
  /** Null for what is no file. */
  read(file: string): string | null;
  /** Files that every test depends on, whatever it imports. */
  readonly always: readonly string[];
  /** Files of the pages for browsers, which a test that drives a browser depends on. They are built into one program. */
  readonly pages: readonly string[];
}

const ROOT = path.resolve(import.meta.dirname, '../..');
/** Names in string literals are looked up beside the file, from the root, and here. */
const FIXTURES = 'test/fixtures';
/** They hold results: a test that reads them would outdate its own result. */
const RESULTS = new Set(['docs/promises.md', 'test/full/results.json']);
/** Folders that commands create from the other files; a fresh clone has none of them. */
const CREATED = ['node_modules/', 'dist/'];

/** They name files that a test need not run, such as those without coverage. */
const NOT_FOLLOWED = new Set(['vitest.config.ts']);
/** The package that drives a browser. */
const BROWSER = 'playwright-core';

/** The files of this folder. Every test database has the migrations, every test the versions of the lock file and the limits of the runner. */
export const workTree: Tree = {
  read: (file) => {
    const absolute = path.join(ROOT, file);
    return statSync(absolute, { throwIfNoEntry: false })?.isFile() ? readFileSync(absolute, 'utf8') : null;
  },
  always: ['package-lock.json', 'vitest.config.ts', 'test/support/global-setup.ts', ...globSync('migrations/*', { cwd: ROOT })],
  pages: globSync('dashboard/**/*.*', { cwd: ROOT }),
};

/**
 * Computes fingerprints of test files: 16 hex characters that change when the test, or a file that it depends on, changes. A file
 * depends on what it imports, on each file of the repository that a string literal in it names, such as a program that it starts, and on the
 * pages if it drives a browser.
 */
export function fingerprints(tree: Tree): (testFile: string) => string {
  const known = new Map<string, { readonly hash: string; readonly dependencies: readonly string[] } | null>();

  function read(file: string) {
    const text = tree.read(file);
    if (text === null) return null;
    return {
      hash: createHash('sha256').update(text).digest('hex'),
      dependencies: /\.(tsx?|mts|js)$/.test(file) && !NOT_FOLLOWED.has(file) ? dependenciesOf(file, text) : [],
    };
  }

  function dependenciesOf(file: string, text: string): readonly string[] {
    return text.includes(`from '${BROWSER}'`) ? [...namesIn(file, text), ...tree.pages] : namesIn(file, text);
  }

  function find(file: string) {
    const found = known.has(file) ? known.get(file) : read(file);
    known.set(file, found ?? null);
    return found ?? null;
  }

  return (testFile) => {
    const reached = new Set([testFile, ...tree.always]);
    const hashes: string[] = [];
    for (const file of reached) {
      const found = find(file);
      if (!found) continue;
      hashes.push(`${file} ${found.hash}`);
      for (const name of found.dependencies) reached.add(name);
    }
    return createHash('sha256').update(hashes.sort().join('\n')).digest('hex').slice(0, 16);
  };
}

/** Paths from the root that the string literals of a file may name. Most of them exist nowhere. */
function namesIn(file: string, text: string): readonly string[] {
  const literals = new Set([...text.matchAll(/(['"`])([\w@./-]+\.\w+)\1/g)].map(([, , name = '']) => name));
  const bases = [path.posix.dirname(file), '.', FIXTURES];
  const names = [...literals].flatMap((name) => bases.map((base) => path.posix.join(base, name)));
  return names.filter((name) => !name.startsWith('..') && !CREATED.some((folder) => name.startsWith(folder)) && !RESULTS.has(name));
}
