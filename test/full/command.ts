import { execFileSync, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { fingerprints, workTree } from './fingerprints.ts';
import { promisesPage, testedPromises } from './page.ts';
import { filesOf, PARTS, type Part, promisesIn, testFilesOf } from './parts.ts';
import { changedSince, outcomesOf, type PartResult, type ReportedTest, type Results, staleFirst } from './results.ts';

const HELP = `npm run test:full [-- OPTION...]

Runs every test with all its rounds, without retries, on a Postgres that writes to disk. Without --part all parts run one
after another, which takes hours: first those whose last result is stale, because a test or a file that it depends on has
changed since. The result of each part is recorded in test/full/results.json when the part ends, and docs/promises.md is
updated. Run it on a machine that does nothing else: many tests assert times.

  --part NAME  run this part; may be given several times
  --stale      run the stale parts only
  --list       print the parts: the last result of each, whether it is stale, and the promises that it tests
  --help       print this text

QUIPU_PROPERTY_SEED sets the seed of property tests; without it each run draws a new one. Needs redis-server, pgbouncer and faketime.
`;

const ROOT = path.resolve(import.meta.dirname, '../..');
const RESULTS = path.join(import.meta.dirname, 'results.json');
const PAGE = path.join(ROOT, 'docs/promises.md');
const CONFIGS = { fast: 'vitest.config.ts', long: 'vitest.long.config.ts' };

const recorded = (): Results => JSON.parse(readFileSync(RESULTS, 'utf8'));

function list(): string {
  const results = recorded();
  return PARTS.flatMap((part) => {
    const last = results[part.name];
    const files = part.suite === 'dates' ? [] : filesOf(part);
    const promises = [...new Set(files.flatMap((file) => [...promisesIn(file)]))].sort();
    return [
      `${part.name}: ${part.about}${part.timed ? ' (asserts times or memory)' : ''}`,
      `  last run: ${last ? `${last.result} ${last.date} ${last.commit}, ${last.seconds} s` : 'none'}`,
      ...(last ? [`  ${currencyOf(part, last)}`] : []),
      ...(promises.length > 0 ? [`  promises: ${promises.join(' ')}`] : []),
    ];
  }).join('\n');
}

function currencyOf(part: Part, last: PartResult): string {
  const now = fingerprintsOf(part);
  const changed = changedSince(last, now).length;
  return changed === 0 ? 'current' : `stale: ${changed} of ${Object.keys(now).length} test files depend on what has changed since`;
}

/** Reads the files anew: they may change between two parts. */
function fingerprintsOf(part: Part): Readonly<Record<string, string>> {
  const fingerprintOf = fingerprints(workTree);
  return Object.fromEntries(testFilesOf(part).map((file) => [file, fingerprintOf(file)]));
}

/** Runs a part and records its result. */
function runPart(part: Part): boolean {
  const seed = Number(process.env.QUIPU_PROPERTY_SEED ?? randomInt(2 ** 31));
  console.log(`part ${part.name}, QUIPU_PROPERTY_SEED=${seed}`);
  const startedAt = Date.now();
  const tested = commit(); // before the run: files may change meanwhile
  const before = fingerprintsOf(part);
  const { passed, tests } = part.suite === 'dates' ? runDates(part) : runFiles(CONFIGS[part.suite], filesOf(part), seed);
  const result: PartResult = {
    date: new Date().toISOString().slice(0, 10),
    commit: tested,
    seconds: Math.round((Date.now() - startedAt) / 1_000),
    seed,
    result: passed ? 'passed' : 'failed',
    promises: outcomesOf(tests),
    fingerprints: before,
  };
  record(part.name, result);
  console.log(`part ${part.name} ${result.result} after ${result.seconds} s`);
  return passed;
}

interface Ran {
  readonly passed: boolean;
  readonly tests: readonly ReportedTest[];
}

function runFiles(config: string, files: readonly string[], seed: number): Ran {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'quipu-full-'));
  const report = path.join(folder, 'report.json');
  const output = ['--reporter=default', '--reporter=./test/support/test-report.ts', '--reporter=json', `--outputFile.json=${report}`];
  const full = {
    QUIPU_PROPERTY_SEED: String(seed),
    QUIPU_LONG_SHARE: '1',
    QUIPU_LONG_WITHOUT: '',
    QUIPU_TEST_DURABLE: '1',
    QUIPU_TEST_RETRIES: '0',
  };
  const paths = files.map((file) => path.join(ROOT, file));
  const passed = run('vitest', ['run', '--config', config, '--retry=0', ...output, ...paths], full);
  const { testResults } = JSON.parse(readFileSync(report, 'utf8')) as { testResults: readonly ReportedFile[] };
  rmSync(folder, { recursive: true });
  return { passed, tests: testResults.flatMap(testsOf) };
}

/** A file of a JSON report of vitest. */
interface ReportedFile {
  readonly name: string;
  readonly status: string;
  readonly assertionResults: readonly ReportedTest[];
}

/** A file that fails before its first test fails all its promises. */
function testsOf({ name, status, assertionResults }: ReportedFile): readonly ReportedTest[] {
  if (status === 'passed' || assertionResults.length > 0) return assertionResults;
  return [...promisesIn(path.relative(ROOT, name))].map((id) => ({ fullName: id, status: 'failed' }));
}

const runDates = (part: Part): Ran => ({ passed: run('test/dates.sh', filesOf(part), {}), tests: [] });

const run = (command: string, args: readonly string[], env: Readonly<Record<string, string>>): boolean =>
  spawnSync(command, args, { cwd: ROOT, stdio: 'inherit', env: { ...process.env, ...env } }).status === 0;

function record(name: string, result: PartResult): void {
  const results = { ...recorded(), [name]: result };
  const inOrder = PARTS.flatMap((part) => (results[part.name] ? [[part.name, results[part.name]]] : []));
  writeFileSync(RESULTS, `${JSON.stringify(Object.fromEntries(inOrder), null, 2)}\n`);
  writeFileSync(PAGE, promisesPage(readFileSync(PAGE, 'utf8'), testedPromises(), recorded(), fingerprints(workTree)));
}

function commit(): string {
  const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim();
  const changed = git('status', '--porcelain', '--', '.', ':!docs/promises.md', ':!test/full/results.json');
  return `${git('rev-parse', '--short', 'HEAD')}${changed ? '-dirty' : ''}`;
}

const isStale = (part: Part): boolean => changedSince(recorded()[part.name], fingerprintsOf(part)).length > 0;

function runParts(names: readonly string[]): void {
  const unknown = names.filter((name) => !PARTS.some((part) => part.name === name));
  if (unknown.length > 0) throw new Error(`no such part: ${unknown.join(', ')}; --list prints them`);
  for (const program of ['redis-server', 'pgbouncer', 'faketime']) {
    if (spawnSync(program, ['--version']).status !== 0) throw new Error(`${program} is not installed: its tests would be skipped`);
  }
  const parts = staleFirst(
    PARTS.filter(({ name }) => names.includes(name)),
    isStale,
  );
  const outcomes = parts.map(runPart);
  if (outcomes.includes(false)) process.exitCode = 1;
}

try {
  const { values } = parseArgs({
    options: {
      part: { type: 'string', multiple: true },
      stale: { type: 'boolean' },
      list: { type: 'boolean' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) console.log(HELP);
  else if (values.list) console.log(list());
  else runParts(values.part ?? PARTS.filter((part) => !values.stale || isStale(part)).map(({ name }) => name));
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
