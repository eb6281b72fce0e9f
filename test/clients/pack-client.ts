import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rename, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './command.ts';

const run = promisify(execFile);
const PACKAGE = `${ROOT}/clients/typescript`;

/** Installs the package @quipu/client into a folder as `npm install` of what `npm pack` makes would, without a registry. */
export async function packClient(folder: string): Promise<void> {
  const modules = `${folder}/node_modules`;
  const packed = await mkdtemp(`${folder}/packed-`);
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', packed], { cwd: PACKAGE });
  await run('tar', ['-xzf', path.join(packed, stdout.trim()), '-C', packed]);
  await mkdir(`${modules}/@quipu`, { recursive: true });
  await rename(`${packed}/package`, `${modules}/@quipu/client`);
  await rm(packed, { recursive: true });
  const { dependencies, peerDependencies } = JSON.parse(await readFile(`${modules}/@quipu/client/package.json`, 'utf8'));
  for (const name of Object.keys({ ...dependencies, ...peerDependencies })) {
    await mkdir(path.dirname(`${modules}/${name}`), { recursive: true });
    await symlink(`${PACKAGE}/node_modules/${name}`, `${modules}/${name}`);
  }
}
