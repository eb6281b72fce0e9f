/**
 * npm run test:full: every test with all its rounds, without retries, on a Postgres that writes to disk; then the tests
 * at every shifted date; then writes the results into docs/promises.md. Takes hours. With arguments (passed on to
 * vitest) it runs only what they select, skips the dates and prints the results instead of writing them.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { promiseResults, type ReportedTest, withResults } from './support/promise-results.ts';

const PAGE = path.resolve(import.meta.dirname, '../docs/promises.md');
const SUITES = ['vitest.config.ts', 'vitest.long.config.ts'];
const filter = process.argv.slice(2);
const folder = mkdtempSync(path.join(os.tmpdir(), 'quipu-full-'));

if (spawnSync('redis-server', ['--version']).status !== 0) {
  console.error('redis-server is not installed: the tests of shared rate limits would be skipped');
  process.exit(1);
}

const seed = process.env.QUIPU_PROPERTY_SEED ?? String(randomInt(2 ** 31));
console.log(`property tests draw with QUIPU_PROPERTY_SEED=${seed}`);

const run = (command: string, args: readonly string[]): boolean =>
  spawnSync(command, args, {
    stdio: 'inherit',
    env: { ...process.env, QUIPU_PROPERTY_SEED: seed, QUIPU_LONG_SHARE: '1', QUIPU_TEST_DURABLE: '1' },
  }).status === 0;

const reported: ReportedTest[] = [];
let isGreen = true;
for (const config of SUITES) {
  const report = path.join(folder, `${path.parse(config).name}.json`);
  const output = ['--reporter=default', '--reporter=json', `--outputFile.json=${report}`];
  const passed = run('vitest', ['run', '--config', config, '--retry=0', '--passWithNoTests', ...output, ...filter]);
  isGreen &&= passed;
  for (const { assertionResults } of JSON.parse(readFileSync(report, 'utf8')).testResults) reported.push(...assertionResults);
}
rmSync(folder, { recursive: true });

const commit = execFileSync('git', ['rev-parse', '--short', 'HEAD'], { encoding: 'utf8' }).trim();
const stamp = `${new Date().toISOString().slice(0, 10)} ${commit}`;
if (filter.length > 0) {
  const results = promiseResults(reported.filter(({ status }) => status === 'passed' || status === 'failed'));
  for (const [id, result] of results) console.log(`${id} ${result} ${stamp}`);
} else {
  writeFileSync(PAGE, withResults(readFileSync(PAGE, 'utf8'), promiseResults(reported), stamp));
  const passed = run('test/dates.sh', []);
  isGreen &&= passed;
}
process.exitCode = isGreen ? 0 : 1;
