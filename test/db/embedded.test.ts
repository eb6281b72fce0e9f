import { chmod, mkdir, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, vi } from 'vitest';
import { attachOrStart, startEmbedded } from '../../src/db/embedded.ts';
import { memoryLog } from '../support/log.ts';
import { needs } from '../support/needs.ts';
import { alive, dataDir, freshDataFolder, log, postmasterPid, query, startOwner } from './data-folder.ts';

freshDataFolder();

describe('an embedded Postgres', () => {
  it('keeps its data over restarts and leaves no process behind', async () => {
    const first = await startEmbedded(dataDir, { log });
    await query(first.url, `CREATE TABLE kept AS SELECT 'still here' AS what`);
    const pid = await postmasterPid();
    await first.stop();
    await first.stop();
    expect(await alive(pid)).toBe(false);

    const second = await startEmbedded(dataDir, { log });
    expect(await query(second.url, 'SELECT what FROM kept')).toEqual([{ what: 'still here' }]);
    await second.stop();
  });

  it('writes synchronously, listens on loopback only and requires its password', async () => {
    const { url, stop } = await startEmbedded(dataDir, { log });
    const [settings] = await query(
      url,
      `SELECT current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS commits, current_setting('full_page_writes') AS pages,
        current_setting('listen_addresses') AS listens, current_setting('unix_socket_directories') AS sockets,
        current_setting('server_encoding') AS encoding, current_database() AS database`,
    );
    expect(settings).toEqual({
      fsync: 'on',
      commits: 'on',
      pages: 'on',
      listens: '127.0.0.1',
      sockets: '',
      encoding: 'UTF8',
      database: 'quipu',
    });

    const wrong = new URL(url);
    wrong.password = 'guessed';
    await expect(query(wrong.href, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
    expect((await stat(path.join(dataDir, 'postgres.password'))).mode & 0o777).toBe(0o600);
    await stop();
  });

  it('reports when Postgres ends without having been stopped', async () => {
    const { log: memory, lines } = memoryLog();
    const onExit = vi.fn();
    const { stop } = await startEmbedded(dataDir, { log: memory, onExit });
    process.kill(await postmasterPid(), 'SIGKILL');

    await expect.poll(() => onExit.mock.calls.length).toBe(1);
    expect(lines.at(-1)).toMatchObject({ level: 50, signal: 'SIGKILL', msg: expect.stringContaining('ended unexpectedly') });
    await stop();
    const again = await startEmbedded(dataDir, { log });
    await again.stop();
  });

  it('reports no such end after it was stopped', async () => {
    const onExit = vi.fn();
    const { stop } = await startEmbedded(dataDir, { log, onExit });
    await stop();
    expect(onExit).not.toHaveBeenCalled();
  });

  it('starts a new log file when the old one exceeds 10 MB', async () => {
    await writeFile(path.join(dataDir, 'postgres.log'), '');
    await truncate(path.join(dataDir, 'postgres.log'), 11 * 1024 * 1024);
    const { stop } = await startEmbedded(dataDir, { log });
    expect((await stat(path.join(dataDir, 'postgres.log'))).size).toBeLessThan(100_000);
    await stop();
  });

  it('refuses data of another major version with advice', async () => {
    await mkdir(path.join(dataDir, 'postgres'));
    await writeFile(path.join(dataDir, 'postgres', 'PG_VERSION'), '17\n');
    await expect(startEmbedded(dataDir, { log })).rejects.toThrow(/Postgres 17.*QUIPU_DATA_DIR/);
  });

  it('reports the output of Postgres when it cannot start', async () => {
    await expect(startEmbedded(dataDir, { log, settings: { shared_buffers: 'plenty' } })).rejects.toThrow(/did not start.*shared_buffers/s);
    await (await startEmbedded(dataDir, { log })).stop();
  });

  it('starts for root in a folder closed to everyone else', needs(process.getuid?.() === 0, 'it is about a start by root'), async () => {
    await chmod(dataDir, 0o700);
    const { url, stop } = await startEmbedded(path.join(dataDir, 'inner'), { log });
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await stop();
  });
});

describe('a data folder with two users', () => {
  it('belongs to the first; the second fails with the owner and advice', async () => {
    const owner = await startOwner();
    const message = `Another Quipu (pid ${owner.child.pid}) uses ${dataDir}; stop it or set QUIPU_DATA_DIR to another folder.`;
    await expect(startEmbedded(dataDir, { log })).rejects.toThrow(message);
    expect(await query(owner.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('is shared by a command with a running server, which it does not stop', async () => {
    const server = await startEmbedded(dataDir, { log });
    const command = await attachOrStart(dataDir, { log });
    expect(command.url).toBe(server.url);
    await command.stop();
    expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await server.stop();
  });

  it('is shared by a command with a server that is still starting', async () => {
    const [server, command] = await Promise.all([startEmbedded(dataDir, { log }), delay(100).then(() => attachOrStart(dataDir, { log }))]);
    expect(command.url).toBe(server.url);
    await server.stop();
  });

  it('of a command alone has a Postgres that ends with the command', async () => {
    const command = await attachOrStart(dataDir, { log });
    const pid = await postmasterPid();
    expect(await query(command.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await command.stop();
    expect(await alive(pid)).toBe(false);
  });

  it.each([
    { who: 'the server', start: startEmbedded },
    { who: 'another command', start: attachOrStart },
  ])('is released by a command for $who that waits for it', async ({ start }) => {
    const command = await attachOrStart(dataDir, { log });
    const waiting = start(dataDir, { log });
    await delay(300);
    await command.stop();
    const next = await waiting;
    expect(await query(next.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await next.stop();
  });
});
