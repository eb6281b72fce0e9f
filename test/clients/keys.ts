import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { ROOT } from './command.ts';

/** An API key with all modules and an account of its own: no other file changes the monitors that it sees. */
export async function createKey(name: string): Promise<string> {
  const args = [path.join(inject('build'), 'src/cli.js'), 'keys', 'create', '--name', name, '--modules', 'all', '--json'];
  const env = { PATH: process.env.PATH, QUIPU_DATA_DIR: inject('dataFolder') };
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT, env });
  return JSON.parse(stdout).key;
}
