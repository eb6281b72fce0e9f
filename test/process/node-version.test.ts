import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { OLDEST_NODE } from '../../src/node-version.ts';
import { needs } from '../support/needs.ts';
import { oldNode, rank } from '../support/old-node.ts';
import { dataFolder } from '../support/process.ts';

const root = path.resolve(import.meta.dirname, '../..');
const lock: {
  readonly packages: Record<string, { readonly dev?: boolean; readonly optional?: boolean; readonly engines?: { node?: string } }>;
} = JSON.parse(readFileSync(path.join(root, 'package-lock.json'), 'utf8'));

/** A folder with the compiled programs and without any package, so that a program that loads one before the check fails. */
async function withoutPackages(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'quipu-old-node-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  await symlink(path.join(inject('build')), path.join(folder, 'dist'));
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(path.join(folder, 'old.cjs'), `Object.defineProperty(process.versions, 'node', { value: '20.19.0' });`);
  return folder;
}

describe('a Node that is too old for a dependency', () => {
  it.each(['main', 'cli'])('gets one sentence from %s.js, which loads no package before it', async (program) => {
    const folder = await withoutPackages();
    const args = ['--preserve-symlinks', '--preserve-symlinks-main', '--require', './old.cjs', `dist/src/${program}.js`];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: '',
      stderr: `Quipu needs Node ${OLDEST_NODE} or newer, and this is 20.19.0: start it with npm start, which uses the project's own Node.\n`,
    });
  });

  it('is older than the newest minimum among the production dependencies', () => {
    const minimums = Object.values(lock.packages)
      .filter(({ dev, optional }) => !dev && !optional)
      .flatMap(({ engines }) => /^>=\s*v?(\d+\.\d+\.\d+)$/.exec(engines?.node ?? '')?.[1] ?? []);
    expect(minimums.length).toBeGreaterThan(20);
    const newest = minimums.reduce((a, b) => (rank(b) > rank(a) ? b : a));
    expect(OLDEST_NODE).toBe(newest);
  });

  it('gets one sentence from run.js, which compiles nothing before it, where the Node of the project is the old one', async () => {
    const folder = await withoutPackages();
    const args = ['--require', path.join(folder, 'old.cjs'), path.join(root, 'run.js'), 'src/cli.js', '--version'];
    const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    expect({ status, stdout, stderr }).toEqual({
      status: 1,
      stdout: '',
      stderr: `Quipu needs Node ${OLDEST_NODE} or newer, and this is 20.19.0: run npm ci, which installs the project's own Node.\n`,
    });
  });

  const { path: old, isOld } = oldNode();
  it('runs `node run.js` with the Node of the project, its arguments, its exit code and its signals', {
    ...needs(isOld, `${old} is no older Node`),
    timeout: 120_000,
  }, async () => {
    const folder = await dataFolder();
    const env = { PATH: '/usr/bin:/bin', HOME: os.homedir(), QUIPU_DATA_DIR: folder, PORT: '0', LOG_LEVEL: 'warn' };
    const options = { cwd: os.tmpdir(), env, encoding: 'utf8' } as const;
    const runFile = path.join(root, 'run.js');
    expect(spawnSync(old, [runFile, 'src/cli.js', '--version'], options)).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(/^\d/),
    });
    expect(spawnSync(old, [runFile, 'src/cli.js', 'no-such-command'], options).status).toBe(1);

    const server = spawn(old, [runFile, 'src/main.js'], { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
    await new Promise((resolve) => server.stdout.on('data', (text) => String(text).includes('Quipu answers at') && resolve(null)));
    server.kill('SIGTERM');
    const [code] = await once(server, 'exit');
    expect([code, existsSync(path.join(folder, 'postgres/postmaster.pid'))]).toEqual([0, false]);
  });

  it('gets the same sentence where such a Node is installed', needs(isOld, `${old} is no older Node`), () => {
    const { status, stderr } = spawnSync(old, [path.join(inject('build'), 'src/main.js')], { encoding: 'utf8' });
    expect([status, stderr]).toEqual([1, expect.stringMatching(/^Quipu needs Node [^\n]+\n$/)]);
  });

  it('runs the line of the README for Windows with the Node of the project', {
    timeout: 60_000,
    ...needs(isOld, `${old} is no older Node`),
  }, () => {
    const [, line = ''] = /On Windows start with `([^`]+)`/.exec(readFileSync(path.join(root, 'README.md'), 'utf8')) ?? [];
    const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: os.homedir() };
    const { status, stdout } = spawnSync('sh', ['-c', `${line} --help`], { cwd: root, env, encoding: 'utf8' });
    expect([status, stdout]).toEqual([0, expect.stringContaining('QUIPU_SOURCES')]);
  });
});
