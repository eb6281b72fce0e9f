import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addressesOn } from '../support/app-with-faults.ts';
import { type TestDb, testDb } from '../support/db.ts';
import { dataFolder, run } from '../support/process.ts';

/** Nothing listens on port 9 (discard): every source is down, so the process starts without any upstream. */
const CLOSED = 'http://127.0.0.1:9';

let db: TestDb;
beforeAll(async () => {
  db = await testDb();
});
afterAll(() => db.close());

interface CoverageReport {
  readonly result: readonly { readonly url: string }[];
}

/** Starts and stops the compiled service; returns the repository paths of the source files that it loaded. V8's coverage lists every loaded script. */
async function filesLoaded(env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const reports = await dataFolder();
  const service = run('src/main.ts', [], {
    ...env,
    DATABASE_URL: db.url,
    QUIPU_KEY_SECRET: 'a-secret-of-the-tests',
    PORT: '0',
    QUIPU_DATA_DIR: await dataFolder(),
    QUIPU_TENDERS_MONTHS: '1',
    LOG_LEVEL: 'silent',
    QUIPU_ROLES: 'server',
    NODE_V8_COVERAGE: reports,
  });
  await service.printed(/answers at/);
  service.child.kill('SIGTERM');
  expect(await service.ended).toBe(0);
  const names = await readdir(reports);
  const texts = await Promise.all(names.map((name) => readFile(path.join(reports, name), 'utf8')));
  const urls = texts.flatMap((text) => (JSON.parse(text) as CoverageReport).result.map(({ url }) => url));
  return urls.flatMap((url) => /\/dist\/((?:src|sandbox)\/.*)\.js$/.exec(url)?.[1] ?? []).map((file) => `${file}.ts`);
}

const ofSandbox = (files: readonly string[]): readonly string[] => files.filter((file) => file.startsWith('sandbox/'));

describe('the files of the sandbox', () => {
  it('are not loaded in live mode', { timeout: 90_000 }, async () => {
    const files = await filesLoaded({ QUIPU_SOURCES: 'live', ...addressesOn(CLOSED) });
    expect(files).toContain('src/app.ts');
    expect(ofSandbox(files)).toEqual([]);
  });

  it('are loaded in sandbox mode', { timeout: 90_000 }, async () => {
    expect(ofSandbox(await filesLoaded({ QUIPU_SOURCES: 'sandbox' }))).toContain('sandbox/index.ts');
  });
});
