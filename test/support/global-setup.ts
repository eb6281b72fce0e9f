import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { pino } from 'pino';
import type { TestProject } from 'vitest/node';
import { type Embedded, startEmbedded } from '../../src/db/embedded.ts';
import { createDb } from '../../src/db/knex.ts';
import { bringUpToDate } from '../../src/jobs/schema.ts';
import { fastTempFolder } from './temp-folder.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** URL of a database of the test server, for creating others. */
    databaseUrl: string;
    /** Name of the migrated database that others are copied from. Their names start with it. */
    databaseTemplate: string;
  }
}

const CONNECTIONS = { max_connections: '200' };
/** True if test data are written to disk as in production (QUIPU_TEST_DURABLE=1). Otherwise they need not survive a power cut. */
const isDurable = process.env.QUIPU_TEST_DURABLE === '1';
const SETTINGS = isDurable ? CONNECTIONS : { ...CONNECTIONS, fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/**
 * Starts one Postgres for the whole run, or uses that of TEST_DATABASE_URL (its user may create databases). It has a migrated template,
 * from which `testDb` creates each database.
 */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const server = await findServer(process.env.TEST_DATABASE_URL);
  const template = `quipu_template_${randomBytes(4).toString('hex')}`;
  const admin = createDb(server.url, { statementTimeoutMs: 0 });
  await admin.raw('CREATE DATABASE ??', [template]);
  const db = createDb(inDatabase(server.url, template));
  await bringUpToDate(db);
  await db.destroy(); // a template must have no connections
  project.provide('databaseUrl', server.url);
  project.provide('databaseTemplate', template);
  return async () => {
    const { rows } = await admin.raw('SELECT datname AS name FROM pg_database WHERE starts_with(datname, ?)', [template]);
    for (const { name } of rows) await admin.raw('DROP DATABASE IF EXISTS ?? WITH (FORCE)', [name]);
    await admin.destroy();
    await server.stop();
  };
}

function inDatabase(url: string, name: string): string {
  const other = new URL(url);
  other.pathname = `/${name}`;
  return other.href;
}

async function findServer(given: string | undefined): Promise<Embedded> {
  if (given) return { url: given, stop: async () => undefined };
  const dataDir = await mkdtemp(path.join(fastTempFolder(), 'quipu-test-'));
  const server = await startEmbedded(dataDir, { log: pino({ level: 'silent' }), settings: SETTINGS });
  const stop = async () => {
    await server.stop();
    await rm(dataDir, { recursive: true, force: true });
  };
  return { url: server.url, stop };
}
