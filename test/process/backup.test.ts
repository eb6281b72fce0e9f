import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { testDb } from '../support/db.ts';
import { dataFolder, run } from '../support/process.ts';

async function setup() {
  const db = await testDb();
  onTestFinished(() => db.close());
  const folder = await dataFolder();
  const file = path.join(folder, 'quipu.dump');
  const quipu = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const { ended, out, err } = run('src/cli.ts', args, { DATABASE_URL: db.url, QUIPU_DATA_DIR: path.join(folder, 'data'), ...env });
    const code = await ended;
    expect(out() + err()).not.toContain(new URL(db.url).password);
    return { code, out: out(), err: err() };
  };
  /** A folder with a program of this name, which runs a shell script. */
  const program = async (name: string, script: string): Promise<string> => {
    await writeFile(path.join(folder, name), `#!/bin/sh\n${script}\n`);
    await chmod(path.join(folder, name), 0o755);
    return `${folder}:/usr/bin:/bin`;
  };
  return { db, folder, file, quipu, program };
}

it('backup says how to install a missing pg_dump, and one that is older than the server', async () => {
  const { file, quipu, program } = await setup();
  const missing = await quipu(['backup', file], { PATH: '/nowhere' });
  expect(missing).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^pg_dump is not installed\. Install the client of Postgres \d+ \(/),
  });
  const old = await quipu(['backup', file], { PATH: await program('pg_dump', 'echo "pg_dump (PostgreSQL) 9.6.24"') });
  expect(old).toMatchObject({ code: 1, err: expect.stringMatching(/^pg_dump is of Postgres 9, the server of Postgres \d+\. Install/) });
});

it('backup leaves no file when pg_dump fails, and replaces none', async () => {
  const { folder, file, quipu, program } = await setup();
  const PATH = await program(
    'pg_dump',
    'case "$1" in --version) echo "pg_dump 99";; *) echo half; echo "the disk is full" >&2; exit 1;; esac',
  );
  expect(await quipu(['backup', file], { PATH })).toMatchObject({ code: 1, err: 'pg_dump failed: the disk is full\n' });
  expect((await readdir(folder)).filter((name) => name.startsWith('quipu.dump'))).toEqual([]);
  await writeFile(file, 'of yesterday');
  expect(await quipu(['backup', file], { PATH })).toMatchObject({ code: 1, err: expect.stringMatching(/quipu\.dump exists already\./) });
  expect((await stat(file)).size).toBe('of yesterday'.length);
});

it('backup passes the password by the environment, and the file is readable by its owner only', async () => {
  const { db, file, quipu, program } = await setup();
  const PATH = await program('pg_dump', 'case "$1" in --version) echo "pg_dump 99";; *) echo "$@"; echo "$PGPASSWORD";; esac');
  const { code, out } = await quipu(['backup', file, '--json'], { PATH });
  const { size, mode } = await stat(file);
  expect([code, JSON.parse(out), mode & 0o777]).toEqual([0, { file, bytes: size }, 0o600]);
  const [args, password] = (await readFile(file, 'utf8')).split('\n');
  expect(args).not.toContain(new URL(db.url).password);
  expect(password).toBe(new URL(db.url).password);
});

it('restore refuses a database with tables, and a file that cannot be read', async () => {
  const { db, file, quipu } = await setup();
  expect(await quipu(['restore', file])).toMatchObject({ code: 1, err: expect.stringMatching(/cannot be read \(ENOENT\)/) });
  await writeFile(file, 'a dump');
  expect(await quipu(['restore', file])).toMatchObject({ code: 1, err: expect.stringMatching(/^This database has tables\./) });
  expect((await db.knex('log_heads').where({ stream: 'changes' }).first()).epochs).toEqual([]);
});

it('epoch begins an epoch after the last position and audits it, and refuses while the service is connected', async () => {
  const { db, quipu } = await setup();
  await db.knex('log_heads').where({ stream: 'changes' }).update({ position: 7 });
  expect(await quipu(['epoch'])).toMatchObject({
    code: 1,
    err: expect.stringMatching(/^Stop all processes of the service first: they have \d+ conn/),
  });
  await db.knex.destroy();
  const { code, out } = await quipu(['epoch', '--json']);
  expect([code, JSON.parse(out)]).toEqual([0, { epoch: expect.stringMatching(/^[0-9a-f]{8}$/), after: 7 }]);
  const entries = (await quipu(['audit', '--json'])).out;
  expect(entries).toContain('change_log.epoch_begun');
});
