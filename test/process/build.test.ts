import { spawn } from 'node:child_process';
import { existsSync, statSync } from 'node:fs';
import { appendFile, cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = path.resolve(import.meta.dirname, '../..');
const FILES = [
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsconfig.build.json',
  'src',
  'sandbox',
  'migrations',
  'dashboard',
  'schema',
  'docs',
  'clients/typescript/src',
  'clients/typescript/README.md',
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md'],
  'run.js',
];

/** A copy of the sources without a build. */
let checkout: string;
const main = () => path.join(checkout, 'dist/src/main.js');

beforeAll(async () => {
  checkout = await mkdtemp(path.join(os.tmpdir(), 'quipu-checkout-'));
  for (const file of FILES.filter((file) => existsSync(path.join(root, file))))
    await cp(path.join(root, file), path.join(checkout, file), { recursive: true });
  await symlink(path.join(root, 'node_modules'), path.join(checkout, 'node_modules'));
});

afterAll(() => rm(checkout, { recursive: true, force: true }));

/** `npm start -- --help` in the copy. */
async function help(): Promise<{ readonly code: number | null; readonly out: string }> {
  const child = spawn('npm', ['start', '--silent', '--', '--help'], { cwd: checkout, stdio: ['ignore', 'pipe', 'inherit'] });
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
  return { code, out };
}

describe('npm start', () => {
  it('compiles a new checkout for two starts at the same time, and both run', async () => {
    const both = await Promise.all([help(), help()]);
    for (const { code, out } of both) {
      expect(code).toBe(0);
      expect(out).toContain('QUIPU_SOURCES');
    }
    expect(existsSync(main())).toBe(true);
  }, 120_000);

  it('does not compile again when no source has changed', async () => {
    const { ino, mtimeMs } = statSync(main());
    expect((await help()).code).toBe(0);
    expect(statSync(main())).toMatchObject({ ino, mtimeMs });
  }, 120_000);

  it('compiles changed sources beside the build that other processes run, which is never missing or incomplete', async () => {
    const before = statSync(main()).ino;
    await appendFile(path.join(checkout, 'src/banner.ts'), "\nexport const ADDED_BY_THE_TEST = 'added';\n");
    let isRunning = true;
    const starting = help().finally(() => {
      isRunning = false;
    });
    const missing = new Set<string>();
    while (isRunning) {
      for (const file of ['src/main.js', 'src/banner.js', 'src/app.js', 'migrations', 'pages/dashboard.html'])
        if (!existsSync(path.join(checkout, 'dist', file))) missing.add(file);
      await nextTurn();
    }
    expect((await starting).code).toBe(0);
    expect([...missing]).toEqual([]);
    expect(statSync(main()).ino).not.toBe(before);
    expect(await readFile(path.join(checkout, 'dist/src/banner.js'), 'utf8')).toContain('ADDED_BY_THE_TEST');
  }, 120_000);

  it('keeps the build of a running program over any number of later builds, and removes older ones that nothing runs from', async () => {
    const lateImport = "process.stdin.once('data', async () => process.stdout.write(Object.keys(await import('./banner.ts')).join()));";
    await writeFile(path.join(checkout, 'src/waits.ts'), `${lateImport}\nprocess.stdout.write('started\\n');\n`);
    const child = spawn(process.execPath, ['run.js', 'src/waits.js'], { cwd: checkout, stdio: ['pipe', 'pipe', 'inherit'] });
    const chunks = child.stdout.setEncoding('utf8')[Symbol.asyncIterator]();
    expect((await chunks.next()).value).toBe('started\n');
    const anHourAgo = Date.now() / 1_000 - 3_600;
    const running = await realpath(path.join(checkout, 'dist'));
    await utimes(running, anHourAgo, anHourAgo);
    const later = ['a', 'b', 'c', 'd', 'e'].map((name) => path.join(checkout, '.build', name));
    for (const [index, folder] of later.entries()) {
      await mkdir(folder);
      await utimes(folder, anHourAgo, anHourAgo + index + 1);
    }
    await appendFile(path.join(checkout, 'src/banner.ts'), '\n');
    expect((await help()).code).toBe(0);
    expect([existsSync(running), existsSync(path.join(checkout, '.build/a'))]).toEqual([true, false]);
    child.stdin.end('now');
    expect((await chunks.next()).value).toContain('banner');
  }, 120_000);
});
