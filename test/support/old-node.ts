import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { OLDEST_NODE } from '../../src/node-version.ts';

/** Converts a version to a number that can be compared. */
export const rank = (version: string): number => version.split('.').reduce((sum, part) => sum * 1_000 + Number(part), 0);

/**
 * Returns the Node of the machine, and whether it is too old for the service. It prints the reason for which tests of an old Node are
 * skipped.
 */
export function oldNode(): { readonly path: string; readonly isOld: boolean } {
  const path = '/usr/bin/node';
  const version = existsSync(path) ? spawnSync(path, ['-p', 'process.versions.node'], { encoding: 'utf8' }).stdout.trim() : null;
  const isOld = version !== null && rank(version) < rank(OLDEST_NODE);
  if (!isOld)
    process.stderr.write(`Tests of an old Node are skipped: ${path} is ${version ?? 'missing'}, and not older than ${OLDEST_NODE}.\n`);
  return { path, isOld };
}
