import { execFileSync } from 'node:child_process';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { testDb } from '../support/db.ts';
import { needs } from '../support/needs.ts';
import { run } from '../support/process.ts';

const USER = 10_001;
const root = path.resolve(import.meta.dirname, '../..');

/** Only root may start a process as another user, and that user must be able to read the code. */
const canTry = process.getuid?.() === 0 && readable();

function readable(): boolean {
  try {
    execFileSync('test', ['-r', path.join(root, 'package.json')], { uid: USER, gid: USER });
    return true;
  } catch {
    return false;
  }
}

it('SC-04 the service runs as an ordinary user who owns only the data folder, and creates no file in the source folder', {
  timeout: 60_000,
  ...needs(canTry, 'only root can start programs as another user'),
}, async () => {
  const { url, close } = await testDb();
  const folder = await mkdtemp(path.join(os.tmpdir(), 'quipu-user-'));
  onTestFinished(async () => {
    await rm(folder, { recursive: true, force: true });
    await close();
  });
  await chown(folder, USER, USER);
  const env = {
    PORT: '0',
    DATABASE_URL: url,
    QUIPU_DATA_DIR: folder,
    LOG_LEVEL: 'error',
    TMPDIR: folder,
    HOME: folder,
    QUIPU_BOOTSTRAP_KEY: 'sk_of_an_ordinary_user',
  };
  const server = run('src/main.ts', [], env, { uid: USER, gid: USER });
  const [, address = ''] = await server.printed(/answers at (\S+)[\s\S]*Explorer:/);
  const headers = { 'x-api-key': 'sk_of_an_ordinary_user', 'content-type': 'application/json' };
  const answer = await fetch(`${address}/v1/compliance-br`, { method: 'POST', headers, body: '{"cnpj":"00000000000191"}' });
  expect([answer.status, await answer.json()]).toMatchObject([200, { sources_failed: [] }]);
  server.child.kill('SIGTERM');
  expect([await server.ended, server.err()]).toEqual([0, '']);
  expect(execFileSync('find', [root, '-xdev', '-user', String(USER), '-not', '-path', '*/.git/*'], { encoding: 'utf8' })).toBe('');
});
