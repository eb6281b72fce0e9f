import { spawnSync } from 'node:child_process';
import path from 'node:path';

export const ROOT = path.resolve(import.meta.dirname, '../..');

/** Runs a command of the packages installed here, in this folder. Sends no usage statistics. */
export const command = (name: string, ...args: string[]): Ended => commandIn(import.meta.dirname, name, ...args);

/** Checks the types of a generated program, strictly. `options` of tsc say how its modules are found. */
export const compile = (program: string, ...options: string[]): Ended =>
  command('tsc', '--noEmit', '--strict', '--target', 'es2024', '--types', 'node', ...options, program);

interface Ended {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The same in another folder. */
export function commandIn(cwd: string, name: string, ...args: string[]): Ended {
  return spawnSync(path.join(import.meta.dirname, 'node_modules/.bin', name), args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' },
    maxBuffer: 64 * 1024 * 1024,
  });
}
