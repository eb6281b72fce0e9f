import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { fingerprints, type Tree, workTree } from './fingerprints.ts';
import { promisesPage, testedPromises } from './page.ts';
import { filesOf, PARTS, promiseFilesOf, TEST_FILES } from './parts.ts';
import { isCurrent, outcomesOf, type Result, unprovenFirst } from './results.ts';

describe('the parts of test:full', () => {
  it('have each test file exactly once, and no part is empty', () => {
    const files = PARTS.filter(({ suite }) => suite !== 'dates').map(filesOf);
    expect(files.flat().sort()).toEqual(TEST_FILES);
    expect(files.filter(({ length }) => length === 0)).toEqual([]);
  });

  it('run the tests of test/long, and no others but those of generated keys, with the configuration of long tests', () => {
    const long = PARTS.filter(({ suite }) => suite === 'long').flatMap(filesOf);
    const expected = TEST_FILES.filter((file) => file.startsWith('test/long/') || file === 'test/auth/key-format.test.ts');
    expect(long.sort()).toEqual(expected.toSorted());
  });

  it('name files and folders that exist', () => {
    const paths = PARTS.filter(({ suite }) => suite !== 'dates').flatMap((part) => part.paths);
    expect(paths.filter((start) => !existsSync(path.resolve(import.meta.dirname, '../..', start)))).toEqual([]);
  });

  it('have each test file of a promise once when only these are chosen', () => {
    const ofPromises = [...testedPromises().values()].flat();
    expect(PARTS.flatMap(promiseFilesOf).sort()).toEqual([...new Set(ofPromises)].sort());
  });

  it('run each night by the workflow', () => {
    const workflow = readFileSync(path.resolve(import.meta.dirname, '../../.github/workflows/full.yml'), 'utf8');
    expect(workflow).toMatch(/\n {2}schedule:\n {4}- cron: '\d+ \d+ \* \* \*'\n/);
    expect([...workflow.matchAll(/^ {10}- ([\w-]+)$/gm)].map(([, name]) => name)).toEqual(PARTS.map(({ name }) => name));
  });

  it('have each date of test/dates.sh once', () => {
    const script = readFileSync(path.resolve(import.meta.dirname, '../dates.sh'), 'utf8');
    const dates = [...(/dates='\n([\s\S]*?)'/.exec(script)?.[1] ?? '').matchAll(/^[a-z0-9-]+/gm)].map(([name]) => name);
    expect(PARTS.filter(({ suite }) => suite === 'dates').flatMap(filesOf)).toEqual(dates);
  });
});

it('--list prints all parts', () => {
  const command = path.join(import.meta.dirname, 'command.ts');
  const printed = execFileSync(process.execPath, ['--import', 'tsx', command, '--list'], { encoding: 'utf8' });
  const names = printed.split('\n').filter((line) => /^[a-z]/.test(line));
  expect(names.map((line) => line.slice(0, line.indexOf(':')))).toEqual(PARTS.map(({ name }) => name));
});

it('takes the worst result of all tests that carry an id', () => {
  const outcomes = outcomesOf([
    { fullName: 'killed: WH-06 deliveries survive', status: 'passed' },
    { fullName: 'group WH-06 UP-02 one more', status: 'failed' },
    { fullName: 'group UP-02 another', status: 'passed' },
    { fullName: 'group MT-01 counts', status: 'passed' },
    { fullName: 'group GQ-03 first', status: 'passed' },
    { fullName: 'group GQ-03 second', status: 'skipped' },
    { fullName: 'no promise', status: 'failed' },
  ]);
  expect(outcomes).toEqual({ 'GQ-03': 'skipped', 'MT-01': 'passed', 'UP-02': 'failed', 'WH-06': 'failed' });
});

it('no test is skipped without a reason that the end of the run prints', () => {
  const silent = TEST_FILES.filter((file) =>
    /\b(it|test|describe)(\.\w+)*\.(skip|skipIf|runIf|todo|only)\b/.test(workTree.read(file) ?? ''),
  );
  expect(silent).toEqual([]);
});

describe('the page of promises', () => {
  const page = [
    '<!-- summary -->\n<!-- /summary -->',
    '| Id | Promise | Test | Last full result |\n|---|---|---|---|',
    ...['WH-01', 'WH-02', 'WH-03', 'WH-04', 'WH-05', 'WH-06'].map((id) => `| ${id} | a promise | old | old |`),
    '| Id | Number |\n|---|---|\n| WH-05 | 1,000; tested 10: slow |',
  ].join('\n');
  const result = (name: string, date: string, promises: Result['promises']): Result => ({
    ...{ date, commit: 'abc1234', seconds: 60, seed: 1, result: 'passed', promises },
    fingerprint: `${name}1`,
  });
  const both = ['test/a.test.ts', 'test/b.test.ts'];
  const four = [...both, 'test/c.test.ts', 'test/d.test.ts'];
  const tested = new Map([
    ['WH-01', both],
    ['WH-02', both],
    ['WH-03', both],
    ['WH-05', four],
    ['WH-06', ['test/never.test.ts']],
  ]);
  const results = {
    'test/a.test.ts': result('a', '2026-11-22', { 'WH-01': 'passed', 'WH-02': 'passed', 'WH-03': 'passed', 'WH-05': 'passed' }),
    'test/b.test.ts': result('b', '2026-11-20', { 'WH-01': 'passed', 'WH-02': 'failed', 'WH-05': 'passed' }),
    'test/c.test.ts': result('c', '2026-11-22', { 'WH-05': 'passed' }),
    'test/d.test.ts': result('d', '2026-11-22', { 'WH-05': 'passed' }),
  };
  /** The page when these files have other fingerprints than in their last run. */
  const pageWith = (...changed: string[]) =>
    promisesPage(page, tested, results, (file) => (changed.includes(file) ? 'other' : `${file['test/'.length]}1`));
  const made = pageWith();
  const cellsOf = (text: string, id: string) => new RegExp(`^\\| ${id} \\| a promise \\| (.*) \\| (.*) \\|$`, 'm').exec(text)?.slice(1);
  const cells = (id: string) => cellsOf(made, id);

  it('shows of a promise with several test files the worst outcome, and the oldest of equal ones', () => {
    expect(cells('WH-01')).toEqual(['[a](../test/a.test.ts)<br>[b](../test/b.test.ts)', 'passed 2026-11-20 abc1234']);
    expect(cells('WH-02')?.[1]).toBe('failed 2026-11-20 abc1234');
  });

  it('names the test files that have not run', () => {
    expect(cells('WH-03')?.[1]).toBe('passed 2026-11-22 abc1234; not run: b');
    expect(cells('WH-06')?.[1]).toBe('not run');
  });

  it('links three files and counts the others', () => {
    expect(cells('WH-05')?.[0]).toBe('[a](../test/a.test.ts)<br>[b](../test/b.test.ts)<br>[c](../test/c.test.ts)<br>and 1 more');
    expect(cells('WH-04')).toEqual(['no test', 'not run']);
  });

  it('counts what is proven, and gives the reason of each other promise', () => {
    expect(made).toContain(
      [
        '1 of 6 promises are proven by a current result at their own number; the others:',
        '',
        '- failed: WH-02',
        '- not run: WH-03, WH-06',
        '- no test: WH-04',
        '- tested below their own number: WH-05',
      ].join('\n'),
    );
  });

  it('calls a result stale when a test file of it has another fingerprint, and counts it among the others', () => {
    const later = pageWith('test/b.test.ts');
    expect(cellsOf(later, 'WH-01')?.[1]).toBe('passed 2026-11-20 abc1234, stale');
    expect(cellsOf(later, 'WH-03')?.[1]).toBe('passed 2026-11-22 abc1234, stale; not run: b');
    expect(later).toMatch(
      /^0 of 6 promises are proven by a current result at their own number; the others:\n\n- stale: WH-01, WH-05\n[\s\S]*- tested below their own number: WH-05$/m,
    );
  });
});

describe('the fingerprint of a test file', () => {
  const files: Readonly<Record<string, string>> = {
    'test/a.test.ts': `import { b } from './support/b.ts';\nstart('src/main.ts'); read("rows.json"); run('dist/main.js');`,
    'test/support/b.ts': `import type { C } from '../../src/c.ts';`,
    'test/other.test.ts': '',
    'test/fixtures/rows.json': '[]',
    'src/main.ts': `await import('./d.ts');`,
    'src/c.ts': `import './main.ts';`,
    'src/d.ts': '',
    'src/unused.ts': '',
    'migrations/1.ts': '',
    'docs/promises.md': '',
    'dist/main.js': '',
    'test/page.test.ts': `import { chromium } from 'playwright-core';`,
    'dashboard/main.tsx': '',
  };
  const treeOf = (texts: typeof files): Tree => ({
    read: (file) => texts[file] ?? null,
    always: ['migrations/1.ts'],
    pages: ['dashboard/main.tsx'],
  });
  const fingerprint = (test: string, change: typeof files = {}) => fingerprints(treeOf({ ...files, ...change }))(test);

  it.each(['test/a.test.ts', 'test/support/b.ts', 'src/c.ts', 'src/main.ts', 'src/d.ts', 'test/fixtures/rows.json', 'migrations/1.ts'])(
    'changes with %s, which the test imports, starts, reads or needs',
    (file) => expect(fingerprint('test/a.test.ts', { [file]: `${files[file]}\n` })).not.toBe(fingerprint('test/a.test.ts')),
  );

  it('changes with a file of the pages if the test drives a browser', () => {
    expect(fingerprint('test/page.test.ts', { 'dashboard/main.tsx': 'x' })).not.toBe(fingerprint('test/page.test.ts'));
    expect(fingerprint('test/a.test.ts', { 'dashboard/main.tsx': 'x' })).toBe(fingerprint('test/a.test.ts'));
  });

  it.each(['test/other.test.ts', 'src/unused.ts', 'docs/promises.md', 'dist/main.js'])(
    'does not change with %s, which the test has nothing to do with or a command creates',
    (file) => expect(fingerprint('test/a.test.ts', { [file]: 'x' })).toBe(fingerprint('test/a.test.ts')),
  );

  it('follows a file of this project to the sources of the service', () => {
    const edited: Tree = { ...workTree, read: (file) => (file === 'src/scheduling/fair-slots.ts' ? '' : workTree.read(file)) };
    const [before, after] = [fingerprints(workTree), fingerprints(edited)];
    const changed = TEST_FILES.filter((file) => before(file) !== after(file));
    expect(changed).toEqual(
      expect.arrayContaining(['test/scheduling/fair-slots.test.ts', 'test/process/start.test.ts', 'test/service/access.test.ts']),
    );
    expect(changed).not.toContain('test/domain/cpf.test.ts');
  });
});

it('a result is current while its test file has the fingerprint of the run', () => {
  const last: Result = { date: '2026-11-22', commit: 'abc1234', seconds: 1, seed: 1, result: 'passed', promises: {}, fingerprint: '1' };
  expect([isCurrent(last, '1'), isCurrent(last, '2'), isCurrent(undefined, '1')]).toEqual([true, false, false]);
});

it('parts with something to run come before the others', () => {
  expect(unprovenFirst(['a', 'b', 'c', 'd'], (part) => part === 'b' || part === 'd')).toEqual(['b', 'd', 'a', 'c']);
});
