import { execFileSync, spawnSync } from 'node:child_process';
import { createHash, randomInt } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { fingerprints, workTree } from './fingerprints.ts';
import { promisesPage, testedPromises } from './page.ts';
import { FAST_FILES, filesOf, PARTS, type Part, promiseFilesOf, promisesIn, TEST_FILES } from './parts.ts';
import { isCurrent, outcomesOf, type ReportedTest, type Result, type Results, unprovenFirst } from './results.ts';

const HELP = `npm run test:full [-- OPTION...]

Runs every test with all its rounds, without retries, on a Postgres that writes to disk. Without --part all parts run one
after another, which takes hours: first those with a test file that was never run, has failed, or whose last result is stale,
because it or a file that it depends on has changed since. When a part ends, the result of each of its test files is recorded
in test/full/results.json, and docs/promises.md is updated. Run it on a machine that does nothing else: many tests assert times.

  --part NAME  run this part; may be given several times
  --stale      run only the test files that were never run, have failed or are stale
  --promises   run only the test files that test a promise
  --list       print the parts: the last results of each, and the promises that it tests
  --help       print this text

QUIPU_PROPERTY_SEED sets the seed of property tests; without it each run draws a new one. Needs redis-server, pgbouncer and faketime.
`;

const ROOT = path.resolve(import.meta.dirname, '../..');
const RESULTS = path.join(import.meta.dirname, 'results.json');
const PAGE = path.join(ROOT, 'docs/promises.md');
/** The fast suite has more workers than cores, which on a slow machine is too many for tests that assert times. */
const SUITES = {
  fast: { config: 'vitest.config.ts', workers: String(os.availableParallelism()) },
  long: { config: 'vitest.long.config.ts', workers: '' },
};

const recorded = (): Results => JSON.parse(readFileSync(RESULTS, 'utf8'));

function list(): string {
  const results = recorded();
  const isUnproven = unproven();
  return PARTS.flatMap((part) => {
    const names = filesOf(part);
    const run = names.flatMap((name) => results[name] ?? []);
    const seconds = run.reduce((sum, { seconds }) => sum + seconds, 0);
    const promises = part.suite === 'dates' ? [] : [...new Set(names.flatMap((file) => [...promisesIn(file)]))].sort();
    return [
      `${part.name}: ${part.about}${part.timed ? ' (asserts times or memory)' : ''}`,
      `  ${part.suite === 'dates' ? 'dates' : 'test files'}: ${names.length}; run: ${run.length}, ${seconds} s; passed and current: ${names.filter((name) => !isUnproven(name)).length}`,
      ...(promises.length > 0 ? [`  promises: ${promises.join(' ')}`] : []),
    ];
  }).join('\n');
}

/** Reads the files anew: they may change between two parts. A date has the fingerprint of all fast tests. */
function fingerprintsNow(): (name: string) => string {
  const fingerprintOf = fingerprints(workTree);
  const ofDates = () => createHash('sha256').update(FAST_FILES.map(fingerprintOf).join('\n')).digest('hex').slice(0, 16);
  return (name) => (TEST_FILES.includes(name) ? fingerprintOf(name) : ofDates());
}

/** Returns a function that is true for a test file or date without a current result that it passed. */
function unproven(): (name: string) => boolean {
  const [results, fingerprintOf] = [recorded(), fingerprintsNow()];
  return (name) => results[name]?.result !== 'passed' || !isCurrent(results[name], fingerprintOf(name));
}

/** Runs test files of a part, or its dates, and records their results. */
function runPart(part: Part, names: readonly string[]): boolean {
  const seed = Number(process.env.QUIPU_PROPERTY_SEED ?? randomInt(2 ** 31));
  console.log(`part ${part.name}, ${names.length} of ${filesOf(part).length}, QUIPU_PROPERTY_SEED=${seed}`);
  const startedAt = Date.now();
  const tested = commit(); // before the run: files may change meanwhile
  const fingerprintOf = fingerprintsNow();
  const before = new Map(names.map((name) => [name, fingerprintOf(name)]));
  const { passed, ran } = part.suite === 'dates' ? runDates(names) : runFiles(SUITES[part.suite], names, seed);
  const date = new Date().toISOString().slice(0, 10);
  const results = names.map((name): [string, Result] => {
    const { seconds, tests, result } = ran.get(name) ?? neverRan(name);
    return [name, { date, commit: tested, seconds, seed, result, promises: outcomesOf(tests), fingerprint: before.get(name) ?? '' }];
  });
  record(Object.fromEntries(results));
  const failed = results.filter(([, { result }]) => result === 'failed').map(([name]) => name);
  console.log(`part ${part.name} ${passed ? 'passed' : 'failed'} after ${secondsSince(startedAt)} s ${failed.join(' ')}`.trim());
  return passed;
}

const secondsSince = (startedAt: number): number => Math.round((Date.now() - startedAt) / 1_000);

interface Ran extends Pick<Result, 'seconds' | 'result'> {
  readonly tests: readonly ReportedTest[];
}

interface RanAll {
  readonly passed: boolean;
  /** By the path of the test file or the name of the date. */
  readonly ran: ReadonlyMap<string, Ran>;
}

/** A file that fails before its first test, or is not in the report, fails all its promises. */
const neverRan = (file: string): Ran => ({
  seconds: 0,
  result: 'failed',
  tests: [...promisesIn(file)].map((id) => ({ fullName: id, status: 'failed' })),
});

function runFiles({ config, workers }: (typeof SUITES)['fast'], files: readonly string[], seed: number): RanAll {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'quipu-full-'));
  const report = path.join(folder, 'report.json');
  const output = ['--reporter=default', '--reporter=./test/support/test-report.ts', '--reporter=json', `--outputFile.json=${report}`];
  const full = {
    QUIPU_PROPERTY_SEED: String(seed),
    QUIPU_LONG_SHARE: '1',
    QUIPU_LONG_WITHOUT: '',
    QUIPU_TEST_DURABLE: '1',
    QUIPU_TEST_IDLE: '1',
    QUIPU_TEST_RETRIES: '0',
    VITEST_MAX_WORKERS: workers, // empty: those of the configuration
  };
  const paths = files.map((file) => path.join(ROOT, file));
  const passed = run('vitest', ['run', '--config', config, '--retry=0', ...output, ...paths], full);
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as { testResults: readonly ReportedFile[] };
  rmSync(folder, { recursive: true });
  return { passed, ran: new Map(testResults.map((file) => [path.relative(ROOT, file.name), ranOf(file)])) };
}

/** A file of a JSON report of vitest. Times in epoch ms. */
interface ReportedFile {
  readonly name: string;
  readonly status: string;
  readonly startTime: number;
  readonly endTime: number;
  readonly assertionResults: readonly ReportedTest[];
}

function ranOf({ name, status, startTime, endTime, assertionResults: tests }: ReportedFile): Ran {
  if (status !== 'passed' && tests.length === 0) return neverRan(path.relative(ROOT, name));
  return { seconds: Math.round((endTime - startTime) / 1_000), result: status === 'passed' ? 'passed' : 'failed', tests };
}

function runDates(dates: readonly string[]): RanAll {
  const ran = dates.map((date): [string, Ran] => {
    const startedAt = Date.now();
    const passed = run('test/dates.sh', [date], {});
    return [date, { seconds: secondsSince(startedAt), result: passed ? 'passed' : 'failed', tests: [] }];
  });
  return { passed: ran.every(([, { result }]) => result === 'passed'), ran: new Map(ran) };
}

const run = (command: string, args: readonly string[], env: Readonly<Record<string, string>>): boolean =>
  spawnSync(command, args, { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...env } }).status === 0;

/** Adds results to the recorded ones, and leaves out those of test files that no longer exist. */
function record(added: Results): void {
  const results = { ...recorded(), ...added };
  const inOrder = PARTS.flatMap(filesOf)
    .sort()
    .flatMap((name) => (results[name] ? [[name, results[name]]] : []));
  writeFileSync(RESULTS, `${JSON.stringify(Object.fromEntries(inOrder), null, 2)}\n`);
  writeFileSync(PAGE, promisesPage(readFileSync(PAGE, 'utf8'), testedPromises(), recorded(), fingerprints(workTree)));
}

function commit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  const changed = git('status', '--porcelain', '--', '.', ':!docs/promises.md', ':!test/full/results.json');
  return `${git('rev-parse', '--short', 'HEAD')}${changed ? '-dirty' : ''}`;
}

interface Choice {
  /** Leaves out test files and dates whose last result is passed and current. */
  readonly stale: boolean;
  /** Leaves out dates, and test files without the id of a promise. */
  readonly promises: boolean;
}

function runParts(names: readonly string[], choice: Choice): void {
  const unknown = names.filter((name) => !PARTS.some((part) => part.name === name));
  if (unknown.length > 0) throw new Error(`no such part: ${unknown.join(', ')}; --list prints them`);
  for (const program of ['redis-server', 'pgbouncer', 'faketime']) {
    if (spawnSync(program, ['--version']).status !== 0) throw new Error(`${program} is not installed: its tests would be skipped`);
  }
  const isUnproven = unproven();
  const candidatesOf = choice.promises ? promiseFilesOf : filesOf;
  const parts = unprovenFirst(
    PARTS.filter(({ name }) => names.includes(name)),
    (part) => candidatesOf(part).some(isUnproven),
  );
  const outcomes = parts.map((part) => {
    const files = candidatesOf(part).filter((file) => !choice.stale || isUnproven(file));
    return files.length === 0 || runPart(part, files);
  });
  if (outcomes.includes(false)) process.exitCode = 1;
}

try {
  const { values } = parseArgs({
    options: {
      part: { type: 'string', multiple: true },
      stale: { type: 'boolean', default: false },
      promises: { type: 'boolean', default: false },
      list: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) console.log(HELP);
  else if (values.list) console.log(list());
  else runParts(values.part ?? PARTS.map(({ name }) => name), values);
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
