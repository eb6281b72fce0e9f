import { randomBytes } from 'node:crypto';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import type { Knex } from 'knex';
import { expect, inject, it, onTestFinished } from 'vitest';
import { createDb } from '../../src/db/knex.ts';
import { bringUpToDate } from '../../src/jobs/schema.ts';
import { testDb } from '../support/db.ts';
import { dataFolder, run } from '../support/process.ts';
import { inFullRun } from '../support/rounds.ts';

const SCHEMA = `
  SELECT table_schema, table_name, column_name, data_type, is_nullable FROM information_schema.columns
  WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_name !~ '_[cv][0-9]+$'
  ORDER BY 1, 2, 3`;

/** An empty database. */
async function emptyDb(name: string): Promise<{ readonly url: string; readonly db: Knex }> {
  const admin = createDb(inject('databaseUrl'), { poolMax: 1, statementTimeoutMs: 30_000 });
  await admin.raw('CREATE DATABASE ??', [name]);
  const address = new URL(inject('databaseUrl'));
  address.pathname = `/${name}`;
  const db = createDb(address.href);
  onTestFinished(async () => {
    await db.destroy();
    await admin.raw('DROP DATABASE ?? WITH (FORCE)', [name]);
    await admin.destroy();
  });
  return { url: address.href, db };
}

const FOLDER = path.resolve(import.meta.dirname, '../../migrations');
const MIGRATIONS = readdirSync(FOLDER)
  .map((file) => path.parse(file).name)
  .sort();

/** Brings an empty database to an older state. */
async function migrateAllBut(db: Knex, last: number): Promise<void> {
  await bringUpToDate(db);
  for (const name of MIGRATIONS.slice(-last).reverse()) {
    const { down } = await import(path.join(FOLDER, `${name}.ts`));
    await down(db);
    await db('knex_migrations').where({ name }).delete();
  }
}

/** How many processes start together in each round, and how many of the last migrations their database lacks. */
const STARTS = Array.from({ length: inFullRun(20, 2) }, (_, round) => ({
  size: round % 4 < 2 ? 3 : 8,
  lacks: round % 2 === 0 ? MIGRATIONS.length : 5,
}));

it.each(STARTS)(
  'DB-08 $size replicas that start together on a database without the last $lacks migrations become ready and create the expected schema',
  async ({ size, lacks }) => {
    const { url, db } = await emptyDb(`quipu_replicas_${randomBytes(4).toString('hex')}`);
    if (lacks < MIGRATIONS.length) await migrateAllBut(db, lacks);
    const startedAt = performance.now();
    const replicas = await Promise.all(
      Array.from({ length: size }, async () =>
        run('src/main.ts', [], {
          PORT: '0',
          DATABASE_URL: url,
          QUIPU_DATA_DIR: await dataFolder(),
          LOG_LEVEL: 'error',
          QUIPU_BOOTSTRAP_KEY: 'sk_of_all_replicas',
        }),
      ),
    );
    const addresses = await Promise.all(replicas.map(async ({ printed }) => (await printed(/answers at (\S+)[\s\S]*Explorer:/))[1]));
    const statuses = await Promise.all(addresses.map(async (address) => (await fetch(`${address}/readyz`)).status));
    expect(statuses).toEqual(Array(size).fill(200));
    expect(performance.now() - startedAt).toBeLessThan(30_000);
    expect(await db('api_keys').where({ name: 'bootstrap' })).toHaveLength(1);
    const names: string[] = await db('knex_migrations').pluck('name');
    expect(new Set(names).size).toBe(names.length);

    // A copy: no database can be made from a template while something is connected to it.
    const model = await testDb();
    const expected = (await model.knex.raw(SCHEMA)).rows.filter(isOurs);
    await model.close();
    expect(expected.length).toBeGreaterThan(100);
    expect((await db.raw(SCHEMA)).rows.filter(isOurs)).toEqual(expected);
    for (const { child } of replicas) child.kill('SIGTERM');
    expect(await Promise.all(replicas.map(({ ended }) => ended))).toEqual(Array(size).fill(0));
    expect(replicas.flatMap(({ err }) => err().split('\n')).filter((line) => line !== '' && !OVERLOADED.test(line))).toEqual([]);
  },
  90_000,
);

/** A job that a busy database refused. It is repeated. */
const OVERLOADED = /"component":"jobs".*database does not answer/;

/** Tables of versions and of their differences are excluded, because each sync creates and deletes them. */
const isOurs = ({ table_schema }: { readonly table_schema: string }): boolean =>
  table_schema === 'public' || table_schema === 'graphile_worker';
