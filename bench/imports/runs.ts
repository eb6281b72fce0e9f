import { spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { BenchFailure } from '../harness/bench.ts';
import { query } from './postgres.ts';

/** Result of one run of one contender. */
export interface Run {
  readonly seconds: number;
  /** Peak memory of the importing process; null when that process is not Quipu's. */
  readonly peakRssBytes: number | null;
}

export const hasPsql = (): boolean => spawnSync('psql', ['--version']).status === 0;

/** Imports the nómina as a new version, in a separate process. */
export async function importSii(url: string, tempDir: string, file: string, rows: number): Promise<Run> {
  const run = JSON.parse(await output(process.execPath, [script('import-sii.ts'), url, tempDir, file])) as Run & { readonly rows: number };
  if (run.rows !== rows) throw new BenchFailure(`${run.rows} of ${rows} rows were imported`);
  return run;
}

const TABLE = 'clean_companies';

/** Copies clean rows into an empty table like that of a version, with psql or an equivalent stream. */
export async function copyIn(url: string, file: string, rows: number, psql: boolean): Promise<Run> {
  await query(url, `CREATE TABLE ${TABLE} (LIKE sii_companies INCLUDING ALL)`);
  const startedAt = performance.now();
  await copyFile(url, TABLE, file, psql);
  const seconds = (performance.now() - startedAt) / 1_000;
  const [counted] = await query(url, `SELECT count(*)::int AS count FROM ${TABLE}`);
  if (counted?.count !== rows) throw new BenchFailure(`${counted?.count} of ${rows} rows were copied`);
  return { seconds, peakRssBytes: null };
}

/** Copies a file in the format of COPY into a table, with psql or an equivalent stream. */
export async function copyFile(url: string, table: string, file: string, psql: boolean): Promise<void> {
  if (psql) await output('psql', [url, '--quiet', '--no-psqlrc', '--command', `\\copy ${table} from '${file}'`]);
  else await output(process.execPath, [script('copy-in.ts'), url, table, file]);
}

const script = (name: string): string => path.join(import.meta.dirname, name);

/** Runs a program, and returns what it prints. @throws BenchFailure when it fails */
export async function output(command: string, args: readonly string[]): Promise<string> {
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, NODE_ENV: 'production' } });
  const exit = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('exit', resolve));
  const [code, out] = await Promise.all([exit, text(child.stdout)]);
  if (code !== 0) throw new BenchFailure(`${path.basename(args[0] ?? command)} ended with ${code}`);
  return out;
}
