import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openReplica } from '../../src/app/database.ts';
import { readConfig } from '../../src/config.ts';
import { createDb } from '../../src/db/knex.ts';
import { createReplicaReads, readReplicaState } from '../../src/db/read-replica.ts';
import { sourceUnavailable } from '../../src/domain/errors.ts';
import { bringUpToDate } from '../../src/jobs/schema.ts';
import { createTenderIndex } from '../../src/modules/tenders/store.ts';
import { importFolder } from '../../src/sources/receita-federal/copy/import.ts';
import { createReceitaCopy } from '../../src/sources/receita-federal/copy/reader.ts';
import { newest, orderRow, stream, toySlice } from '../modules/tenders/core-toy.ts';
import { cnpjOf, folderOf, monthOf, NOW } from '../sources/receita-copy/support.ts';
import { ask, onDisk, siiOn } from '../sources/sii/support.ts';
import { nomina } from '../sources/sii/tables.ts';
import { tempFolder } from '../support/files.ts';
import { memoryLog } from '../support/log.ts';
import { needsPostgresClient, replicaOf, serverOfClient } from '../support/postgres-client.ts';
import { until } from '../support/until.ts';

const COMPANY = 76_000_001;
/** Nothing listens there. */
const NOWHERE = 'postgres://quipu@127.0.0.1:9/quipu';

function opened(url: string) {
  const db = createDb(url);
  onTestFinished(() => db.destroy());
  return db;
}

/** A migrated server and its streaming replica, and reads as a process has them. */
async function replicated() {
  const url = await serverOfClient();
  const primary = opened(url);
  await bringUpToDate(primary);
  const server = await replicaOf(url);
  const replica = opened(server.url);
  const position = async () => (await primary.raw('SELECT pg_current_wal_lsn() AS lsn')).rows[0].lsn;
  const caughtUp = async () => {
    const lsn = await position();
    await until(() =>
      replica.raw('SELECT pg_last_wal_replay_lsn() >= ?::pg_lsn AS is', [lsn]).then(
        ({ rows }) => rows[0].is,
        () => false, // it starts
      ),
    );
  };
  await caughtUp();
  const { log, lines } = memoryLog();
  const clock = { now: Date.now() };
  const reads = createReplicaReads({ primary, replica, now: () => clock.now, log });
  return {
    primary,
    replica,
    server,
    reads,
    clock,
    caughtUp,
    pause: () => replica.raw('SELECT pg_wal_replay_pause()').then(() => until(isPaused)),
    resume: () => replica.raw('SELECT pg_wal_replay_resume()'),
    said: () => lines.map(({ msg }) => msg),
  };

  async function isPaused(): Promise<boolean> {
    return (await replica.raw('SELECT pg_get_wal_replay_pause_state() AS state')).rows[0].state === 'paused';
  }
}

describe('copies of registries behind a streaming replica', { timeout: 120_000, ...needsPostgresClient }, () => {
  it('are read from it while it has the version that the process knows, else with their version from the primary', async () => {
    const { primary, replica, reads, caughtUp, pause, resume, said } = await replicated();
    const [first = '', second = ''] = await onDisk({
      'first.txt': nomina([{ number: COMPANY, name: 'UNO SPA' }]),
      'second.txt': nomina([{ number: COMPANY, name: 'DOS SPA' }]),
    });
    const sii = siiOn({ db: primary, copyReads: reads, tempDir: await tempFolder() });
    const nameAndVersion = async () => {
      const { version, companies } = await sii.companies(['760000013']);
      return [[...companies.values()][0]?.name, version.id === sii.version()];
    };
    const renameOnPrimary = () => primary.raw(`UPDATE sii_companies SET name = 'OTRO SPA'`);
    expect(await sii.sync({ files: [first], force: true })).toMatchObject({ outcome: 'loaded' });
    await caughtUp();
    await pause();
    await renameOnPrimary();
    expect(await nameAndVersion()).toEqual(['UNO SPA', true]);

    expect(await sii.sync({ files: [second], force: true })).toMatchObject({ outcome: 'loaded' });
    expect((await replica.raw('SELECT count(*)::int AS count FROM registry_versions')).rows).toEqual([{ count: 1 }]);
    expect(await nameAndVersion()).toEqual(['DOS SPA', true]);

    await resume();
    await caughtUp();
    await pause();
    await renameOnPrimary();
    expect(await nameAndVersion()).toEqual(['DOS SPA', true]);
    expect(said()).toEqual([]);
    expect(await readReplicaState(replica)).toMatchObject({ isReplaying: true });
    expect(await readReplicaState(primary)).toMatchObject({ isReplaying: false, behindSeconds: 0 });
  });

  it('are read with the version of the Brazilian registry that the primary selects, once the replica has all of its rows', async () => {
    const { primary, replica, reads, caughtUp, pause, resume, said } = await replicated();
    const parts = {
      ...{ db: primary, origin: 'publisher', secret: 'a secret of this test', now: () => NOW, diskFolder: null, historyMonths: 24 },
      log: memoryLog().log,
      onProgress: () => undefined,
    };
    const clock = { now: NOW };
    const copy = createReceitaCopy(
      () => primary,
      'publisher',
      () => clock.now,
      reads,
    );
    const cnpj = cnpjOf('99100001');
    const found = async () => {
      clock.now += 6_000; // the pointer is read again
      const answer = (await copy.find([cnpj])).get(cnpj);
      return answer instanceof Error || !answer ? answer : [answer.dataAsOf, answer.value?.legalName];
    };
    const rename = (name: string) => primary.raw('UPDATE ?? SET name = ?', [`receita_companies_v${copy.version()}`, name]);

    await importFolder(await folderOf(monthOf(12), 'D61014'), parts);
    await caughtUp();
    expect(await found()).toEqual(['2026-10-14', 'EMPRESA 99100001']);
    await pause();
    await rename('ON THE PRIMARY');
    expect(await found()).toEqual(['2026-10-14', 'EMPRESA 99100001']); // read on the replica

    await importFolder(await folderOf(monthOf(12)), parts, { force: true }); // the rename above has changed every company
    expect(await found()).toEqual(['2026-11-14', 'EMPRESA 99100001']); // the replica has no such tables: the primary
    await rename('ON THE PRIMARY');
    expect(await found()).toEqual(['2026-11-14', 'ON THE PRIMARY']);
    await resume();
    await caughtUp();
    await pause();
    await rename('LATER');
    expect(await found()).toEqual(['2026-11-14', 'ON THE PRIMARY']);

    // A replica that has the tables and a part of their rows must not prove an absence.
    await resume();
    await caughtUp();
    const loadedAt = await primary.raw('UPDATE receita_versions SET loaded_at = NULL WHERE id = ? RETURNING loaded_at', [copy.version()]);
    expect(loadedAt.rows).toHaveLength(1);
    await primary.raw('DELETE FROM ??', [`receita_companies_v${copy.version()}`]);
    await primary.raw('DELETE FROM ??', [`receita_establishments_v${copy.version()}`]);
    await caughtUp();
    expect((await replica.raw('SELECT count(*)::int AS n FROM ??', [`receita_establishments_v${copy.version()}`])).rows[0].n).toBe(0);
    await expect(found()).rejects.toThrow(/deleted while it was read/);
    expect(said()).toEqual([]);
  });

  it('are read from the primary after the loss of the replica, which is logged once', async () => {
    const { primary, server, reads, clock, caughtUp, said } = await replicated();
    const [file = ''] = await onDisk({ 'only.txt': nomina([{ number: COMPANY, name: 'UNO SPA' }]) });
    const sii = siiOn({ db: primary, copyReads: reads, tempDir: await tempFolder() });
    await sii.sync({ files: [file], force: true });
    await caughtUp();
    expect(reads.isUsed()).toBe(true);
    await server.stop();
    for (let read = 0; read < 3; read += 1) {
      expect(await ask(sii, COMPANY)).toMatchObject({ name: 'UNO SPA' });
      clock.now += 6_000;
    }
    expect(reads.isUsed()).toBe(false);
    expect(said()).toEqual(['the read replica failed; the primary answers']);
  });

  it('are read with the version of the tender index that the process knows, or a later one', async () => {
    const { primary, reads, caughtUp, pause, resume } = await replicated();
    const index = createTenderIndex(primary, 'mercadopublico', 'sandbox', reads);
    const codes = async (known: string) => (await index.orders([newest()], known)).pages[0]?.items.map(({ code }) => code);
    await index.replace(toySlice('orders/2026-09'), stream([orderRow('first')]));
    const before = (await index.state()).version;
    await caughtUp();
    await pause();
    await index.replace(toySlice('orders/2026-09'), stream([orderRow('second')]));
    const after = (await index.state()).version;
    expect([await codes(before), await codes(after)]).toEqual([['first'], ['second']]);
    await resume();
    await caughtUp();
    expect(await codes(before)).toEqual(['second']);
  });
});

describe('the setting DATABASE_READ_URL', () => {
  it.each([
    { roles: 'server', url: NOWHERE, isUsed: true },
    { roles: 'server,worker', url: NOWHERE, isUsed: false },
    { roles: 'worker', url: NOWHERE, isUsed: false },
    { roles: 'server', url: '', isUsed: false },
  ])('in a process of $roles, with "$url", opens a replica: $isUsed', async ({ roles, url, isUsed }) => {
    const config = readConfig({ DATABASE_URL: NOWHERE, DATABASE_READ_URL: url, QUIPU_ROLES: roles });
    const reads = openReplica(config, { db: opened(NOWHERE), now: Date.now, log: memoryLog().log, observer: undefined });
    expect(reads !== undefined).toBe(isUsed);
    await reads?.close();
  });

  it('needs DATABASE_URL', () => {
    expect(() => readConfig({ DATABASE_READ_URL: NOWHERE })).toThrow(/DATABASE_READ_URL: needs DATABASE_URL/);
  });
});

describe('reads from a replica', () => {
  function readsOf(now: () => number) {
    const { log, lines } = memoryLog();
    const [primary, replica] = [opened(NOWHERE), opened(NOWHERE)];
    const reads = createReplicaReads({ primary, replica, now, log });
    const asked: string[] = [];
    /** Settles with the name of the database that answered. */
    const read = (fails: boolean, code = '57P01') =>
      reads.read(
        async (db) => {
          const name = db === replica ? 'replica' : 'primary';
          asked.push(name);
          if (fails && db === replica) throw Object.assign(new Error('terminated'), { code });
          return name;
        },
        () => true,
      );
    return { reads, read, asked, said: () => lines.map(({ msg }) => msg) };
  }

  it('try a failed replica again after 5 s, once for all reads, and log that it answers again', async () => {
    let now = 1_000_000;
    const { reads, read, asked, said } = readsOf(() => now);
    expect(await read(true)).toBe('primary');
    now += 4_999;
    expect(await read(false)).toBe('primary');
    expect(asked).toEqual(['replica', 'primary', 'primary']);
    now += 1;
    expect(await Promise.all([read(false), read(false)])).toEqual(['replica', 'primary']);
    expect(reads.isUsed()).toBe(true);
    expect(said()).toEqual(['the read replica failed; the primary answers', 'the read replica answers again']);
  });

  it('are repeated at the primary when replay cancels them, and the replica stays in use', async () => {
    const { reads, read, said } = readsOf(Date.now);
    expect(await read(true, '40001')).toBe('primary');
    expect(await read(false)).toBe('replica');
    expect(reads.isUsed()).toBe(true);
    expect(said()).toEqual([]);
  });

  it.each([
    ['a value that Postgres refuses', Object.assign(new pg.DatabaseError('date out of range', 0, 'error'), { code: '22008' })],
    ['an error for the caller', sourceUnavailable('receita_federal', 'the copy is overdue')],
  ])('fail with %s without another attempt, and the replica stays in use', async (_, error) => {
    const { reads, read, said } = readsOf(Date.now);
    const asked: string[] = [];
    const refused = reads.read(
      async () => {
        asked.push('a database');
        throw error;
      },
      () => true,
    );
    await expect(refused).rejects.toBe(error);
    expect(asked).toHaveLength(1);
    expect(reads.isUsed()).toBe(true);
    expect(await read(false)).toBe('replica');
    expect(said()).toEqual([]);
  });

  it('are refused, and show no absent company, when the primary is away too', async () => {
    const { reads } = readsOf(Date.now);
    const sii = siiOn({ db: opened(NOWHERE), copyReads: reads, tempDir: await tempFolder() });
    await expect(sii.companies(['760000013'])).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  });
});
