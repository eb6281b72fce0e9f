import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { inject, onTestFinished } from 'vitest';
import { UNCAUGHT_EXCEPTION, UNHANDLED_REJECTION } from '../../src/app/unhandled-errors.ts';

const root = path.resolve(import.meta.dirname, '../..');

/**
 * Returns the arguments of Node that start a program of the repository: compiled if this run compiled it (see build.ts), else through tsx.
 */
export function nodeArguments(script: string): readonly string[] {
  const build = inject('build');
  const relative = path.relative(root, path.resolve(root, script));
  return build ? [path.join(build, relative.replace(/\.ts$/, '.js'))] : ['--import', 'tsx', script];
}

/**
 * A child process of the service. It gets only PATH of the test's environment. It indexes two months of tenders and loads no copy of the
 * Brazilian registry, to start faster, and never counts as overloaded.
 */
export interface Run {
  readonly child: ChildProcess;
  readonly out: () => string;
  readonly err: () => string;
  /** Settles with the match once stdout matches. @throws when the process ends first */
  printed(pattern: RegExp): Promise<RegExpMatchArray>;
  /** Settles with the exit code (null for a signal). */
  readonly ended: Promise<number | null>;
}

export function run(...given: Parameters<typeof startRun>): Run {
  const started = startRun(...given);
  onTestFinished(() => endRun(started));
  return started;
}

/** Ends a process. @throws when it has logged an error that its code did not handle */
export async function endRun({ child, ended, err }: Run): Promise<void> {
  child.kill('SIGTERM');
  await ended;
  if ([UNHANDLED_REJECTION, UNCAUGHT_EXCEPTION].some((code) => err().includes(code))) throw new Error(`a process had a defect:\n${err()}`);
}

/** Does the same as `run` for several tests: the caller ends it. */
export function startRun(
  script: 'src/main.ts' | 'src/cli.ts' | 'test/long/measured-process.ts',
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  as: { readonly uid?: number; readonly gid?: number } = {},
): Run {
  const build = inject('build');
  // Most of the CPU time of a start compiles 2,000 modules, so the first process of a run stores the compiled code for the others.
  const cache = build && { NODE_COMPILE_CACHE: path.join(build, 'compile-cache') };
  const child = spawn(process.execPath, [...nodeArguments(script), ...args], {
    ...as,
    cwd: root,
    env: { PATH: process.env.PATH, HOME: os.tmpdir(), ...SETTINGS, ...cache, ...env },
  });
  let out = '';
  let err = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr.on('data', (chunk) => {
    err += chunk;
  });
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  async function printed(pattern: RegExp): Promise<RegExpMatchArray> {
    let over = false;
    void ended.then(() => {
      over = true;
    });
    for (;;) {
      const found = out.match(pattern);
      if (found) return found;
      if (over) throw new Error(`ended before it printed ${pattern}: ${out}\n${err}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }
  return { child, out: () => out, err: () => err, printed, ended };
}

/** Settings of a process that a test may replace. A rejection that nothing handles ends it, also if it logs nothing. */
export const SETTINGS = {
  QUIPU_TENDERS_MONTHS: '2',
  QUIPU_LOOP_DELAY: '1000000',
  QUIPU_RECEITA_MODE: 'live',
  NODE_OPTIONS: '--unhandled-rejections=strict',
};

/** Creates a data folder for one test, which is removed afterwards. */
export async function dataFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'quipu-data-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}
