import { execFile } from 'node:child_process';
import { chmod, copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { Webhook } from 'standardwebhooks';
import { expect, it, onTestFinished } from 'vitest';
import { companyByScenario } from '../../sandbox/world/brazil/world.ts';
import { startEmbedded } from '../../src/db/embedded.ts';
import { createDb, withConnection } from '../../src/db/knex.ts';
import { findFault } from '../../src/evidence/seal.ts';
import { publishChange } from '../modules/monitor/feed-support.ts';
import { brazilian } from '../modules/monitor/support.ts';
import { memoryLog } from '../support/log.ts';
import { needsPostgresClient, serverOfClient } from '../support/postgres-client.ts';
import { dataFolder, run } from '../support/process.ts';
import { receiver } from '../support/receiver.ts';
import { until } from '../support/until.ts';

/** A database of which one moment is saved. */
interface Restorable {
  readonly url: string;
  save(): Promise<void>;
  /** Restores the saved moment and begins an epoch. @returns the address of the restored database */
  restore(): Promise<string>;
}

async function quipu(args: readonly string[], url: string): Promise<string> {
  const { ended, out, err } = run('src/cli.ts', args, { DATABASE_URL: url, QUIPU_DATA_DIR: await dataFolder() });
  const code = await ended;
  if (code !== 0) throw new Error(`quipu ${args[0]} ended with ${code}: ${err()}`);
  return out();
}

/** The commands `backup` and `restore`. */
async function dumped(): Promise<Restorable> {
  const [url, empty] = [await serverOfClient(), await serverOfClient()];
  const file = path.join(await dataFolder(), 'quipu.dump');
  return {
    url,
    save: async () => void (await quipu(['backup', file], url)),
    async restore() {
      await quipu(['restore', file], empty);
      return empty;
    },
  };
}

/** A copy of the files of an embedded Postgres, its archived write-ahead log, and the command `epoch`. */
async function pointInTime(): Promise<Restorable> {
  const dir = await dataFolder();
  await chmod(dir, 0o755);
  const [first, second, archive] = ['first', 'second', 'archive'].map((name) => path.join(dir, name)) as [string, string, string];
  for (const folder of [first, second, archive]) await mkdir(folder);
  await chmod(archive, 0o777);
  const { log } = memoryLog();
  const server = await startEmbedded(first, { log, settings: { archive_mode: 'on', archive_command: `cp %p ${archive}/%f` } });
  onTestFinished(() => server.stop());
  const db = createDb(server.url);
  onTestFinished(() => db.destroy());
  await withConnection(
    db,
    async (client) => {
      await client.query(`SELECT pg_backup_start('base', true)`);
      await promisify(execFile)('cp', ['-a', path.join(first, 'postgres'), second]);
      const { rows } = await client.query('SELECT labelfile FROM pg_backup_stop()');
      await writeFile(path.join(second, 'postgres/backup_label'), rows[0].labelfile);
    },
    { statementTimeoutMs: 60_000 },
  );
  return {
    url: server.url,
    save: async () => void (await db.raw(`SELECT pg_create_restore_point('saved')`)),
    async restore() {
      await db.raw('SELECT pg_switch_wal()');
      await server.stop();
      const files = path.join(second, 'postgres');
      await rm(path.join(files, 'postmaster.pid'));
      await rm(path.join(files, 'pg_wal'), { recursive: true });
      await mkdir(path.join(files, 'pg_wal'));
      await writeFile(path.join(files, 'recovery.signal'), '');
      await copyFile(path.join(first, 'postgres.password'), path.join(second, 'postgres.password'));
      await promisify(execFile)('chown', ['-R', '--reference', path.join(first, 'postgres'), files]);
      const settings = { restore_command: `cp ${archive}/%f %p`, recovery_target_name: 'saved', recovery_target_action: 'promote' };
      const restored = await startEmbedded(second, { log, settings });
      onTestFinished(() => restored.stop());
      await promoted(restored.url);
      await quipu(['epoch'], restored.url);
      return restored.url;
    },
  };
}

/** Waits until the recovery has ended: Postgres answers before that, and refuses to write. */
async function promoted(url: string): Promise<void> {
  const db = createDb(url);
  await until(async () => (await db.raw('SELECT pg_is_in_recovery() AS recovering')).rows[0].recovering === false);
  await db.destroy();
}

const KEY = 'sk_of_a_service_that_is_restored';
const { cnpj } = companyByScenario('clean');

/** A service on a database, and what a customer does with it. */
async function customer(databaseUrl: string) {
  const service = run('src/main.ts', [], {
    PORT: '0',
    DATABASE_URL: databaseUrl,
    QUIPU_DATA_DIR: await dataFolder(),
    QUIPU_KEY_SECRET: 'the same secret before and after',
    QUIPU_BOOTSTRAP_KEY: KEY,
    QUIPU_MONITOR_INTERVAL: '1d', // the test publishes the changes
  });
  const [, url = ''] = await service.printed(/answers at (\S+)/);
  const headers = { 'content-type': 'application/json', 'x-api-key': KEY };
  const db = createDb(databaseUrl);
  onTestFinished(() => db.destroy());
  const send = async (target: string, body?: object) => {
    const answer = await fetch(`${url}${target}`, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) });
    return { status: answer.status, body: await answer.json() };
  };
  await expect.poll(() => send('/readyz').then(({ status }) => status), { timeout: 30_000 }).toBe(200);
  return {
    send,
    publish: () => publishChange(db, brazilian(cnpj)),
    stop: async () => {
      await db.destroy();
      service.child.kill('SIGTERM');
      await service.ended;
    },
    /** What stays the same over a restore. */
    async kept(monitor: string) {
      const { refusals, ...usage } = (await send('/v1/usage')).body; // refusals are those of the process
      return {
        monitor: (await send(`/v1/monitor/subscriptions/${monitor}`)).body,
        changes: (await send('/v1/changes')).body,
        evidence: (await send('/v1/evidence')).body,
        usage,
      };
    },
    check: async () => (await send('/v1/compliance-br', { cnpj, receipt: true })).body.evidence,
    /** The text of an event stream that ends by itself. */
    stream: async (lastEventId: string): Promise<string> => {
      const query = 'subscription { companyChanged { id } }';
      const sent = { ...headers, accept: 'text/event-stream', 'last-event-id': lastEventId };
      return (await fetch(`${url}/graphql`, { method: 'POST', headers: sent, body: JSON.stringify({ query }) })).text();
    },
  };
}

/** What every way of restoring must keep. */
async function survivesRestore(setup: () => Promise<Restorable>): Promise<void> {
  const database = await setup();
  const { url: webhookUrl, received } = await receiver();
  const before = await customer(database.url);
  const { body: monitor } = await before.send('/v1/monitor/subscriptions', {
    identifiers: [cnpj],
    country: 'BR',
    webhook_url: webhookUrl,
  });
  await before.publish();
  await before.publish();
  await until(() => received.length === 2);
  const firstReceipt = await before.check();
  const kept = await before.kept(monitor.subscription_id);
  await database.save();
  await before.publish();
  await until(() => received.length === 3);
  await before.check();
  const { next_after: lost } = (await before.send('/v1/changes')).body;
  await before.stop();

  const after = await customer(await database.restore());
  expect(await after.kept(monitor.subscription_id)).toEqual(kept);

  const { status, body } = await after.send(`/v1/changes?after=${lost}`);
  expect([status, body.code, body.cursor]).toEqual([410, 'cursor_too_old', kept.changes.next_after]);
  expect(await after.stream(lost)).toContain('"code":"CURSOR_TOO_OLD"');

  await after.publish();
  await until(() => received.length === 4);
  const { changes } = (await after.send(`/v1/changes?after=${body.cursor}`)).body;
  expect(changes.map(({ event_id }: { event_id: string }) => event_id)).toEqual([received[3]?.headers['webhook-id']]);
  expect(new Set(received.map(({ headers }) => headers['webhook-id'])).size).toBe(4);
  const last = received.at(-1);
  expect(() => new Webhook(monitor.secret).verify(last?.body ?? '', last?.headers ?? {})).not.toThrow();

  const { keys } = (await after.send('/.well-known/quipu-evidence-keys')).body;
  const nextReceipt = await after.check();
  expect(nextReceipt.receipt.sequence).toBe(firstReceipt.receipt.sequence + 1);
  expect(findFault([firstReceipt, nextReceipt], keys)).toBeNull();
}

it(
  'quipu backup and restore keep monitors, secrets, the change log, usage and receipts; no event is sent twice, and cursors for lost changes are refused',
  { timeout: 180_000, ...needsPostgresClient },
  () => survivesRestore(dumped),
);

it('point-in-time recovery with quipu epoch does the same', () => survivesRestore(pointInTime), 180_000);
