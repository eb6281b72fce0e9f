import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import type { TestProject } from 'vitest/node';
import { fastTempFolder } from '../support/temp-folder.ts';
import { ROOT } from './command.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** File that `npm pack` made of the package @quipu/client. */
    clientPackage: string;
  }
}

const run = promisify(execFile);
const PACKAGE = `${ROOT}/clients/typescript`;

/** Builds and packs @quipu/client, once for all test files. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = await mkdtemp(path.join(fastTempFolder(), 'quipu-client-'));
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: PACKAGE });
  project.provide('clientPackage', path.join(folder, stdout.trim()));
  return () => rm(folder, { recursive: true, force: true });
}

/** Installs @quipu/client into a folder as `npm install` would, without a registry: with what it depends on, and nothing else. */
export async function installClient(folder: string): Promise<void> {
  const client = `${folder}/node_modules/@quipu/client`;
  await mkdir(client, { recursive: true });
  await run('tar', ['-xzf', inject('clientPackage'), '-C', client, '--strip-components=1']);
  const { dependencies, peerDependencies } = JSON.parse(await readFile(`${client}/package.json`, 'utf8'));
  await link(folder, PACKAGE, ...Object.keys({ ...dependencies, ...peerDependencies }));
}

/** Makes packages that are installed in another folder resolvable in this one. */
export async function link(folder: string, from: string, ...names: readonly string[]): Promise<void> {
  for (const name of names) {
    await mkdir(path.dirname(`${folder}/node_modules/${name}`), { recursive: true });
    await symlink(`${from}/node_modules/${name}`, `${folder}/node_modules/${name}`);
  }
}
