import { spawnSync } from 'node:child_process';
import path from 'node:path';

export const ROOT = path.resolve(import.meta.dirname, '../..');

/** Runs a command of the packages installed here, in this folder. Sends no usage statistics. */
export function command(
  name: string,
  ...args: string[]
): { readonly status: number | null; readonly stdout: string; readonly stderr: string } {
  return spawnSync(path.join(import.meta.dirname, 'node_modules/.bin', name), args, {
    cwd: import.meta.dirname,
    encoding: 'utf8',
    env: { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' },
    maxBuffer: 64 * 1024 * 1024,
  });
}
