import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Knex } from 'knex';
import { describe, expect, it } from 'vitest';
import { startEpoch } from '../../../src/modules/monitor/store/change-log.ts';
import { until } from '../../support/until.ts';
import { append, at, cursorOf, feeds, KEY, OWN, take } from './feed-support.ts';
import { brazilian, cnpj } from './support.ts';

const wanted = { keyId: KEY, cursorOf };

describe('the feed of changes', () => {
  it('returns the changes of its key made after the subscription, in the order of the log', async () => {
    const { db, feed } = await feeds();
    await append(db, 2);
    const reader = await feed.changes(wanted);
    const [first] = await append(db, 1);
    await append(db, 3, { keyId: randomUUID() });
    const [second, third] = await append(db, 2);
    expect((await take(reader, 3)).map(({ id }) => id)).toEqual([first, second, third]);
  });

  it('returns missed changes first and then new ones, without a gap', async () => {
    const { db, feed } = await feeds();
    const missed = await append(db, 250);
    const reader = await feed.changes({ ...wanted, after: at(0) });
    const live = await append(db, 250);
    expect((await take(reader, 500)).map(({ id }) => id)).toEqual([...missed, ...live]);
  });

  it('returns only changes of the requested companies', async () => {
    const { db, feed } = await feeds();
    const company = brazilian(cnpj(7));
    const reader = await feed.changes({ ...wanted, companies: [company], after: at(0) });
    await append(db, 3);
    const [hit] = await append(db, 1, { company });
    const [next] = await append(db, 1, { company, monitorId: OWN });
    expect((await take(reader, 2)).map(({ id }) => id)).toEqual([hit, next]);
  });

  it('ends a waiting read when it is returned, and then has no subscriber', async () => {
    const { feed } = await feeds();
    const reader = await feed.changes(wanted);
    const waiting = reader.next();
    expect(feed.subscribers()).toBe(1);
    await reader.return();
    expect(await waiting).toEqual({ done: true, value: undefined });
    expect(feed.subscribers()).toBe(0);
  });

  it('rejects a cursor older than the log, a cursor ahead of the log, and an unknown monitor', async () => {
    const { db, feed } = await feeds();
    await append(db, 10);
    await db('log_heads').where({ stream: 'changes' }).update({ kept_from: 6 });
    await expect(feed.changes({ ...wanted, after: at(4) })).rejects.toMatchObject({ code: 'CURSOR_TOO_OLD', facts: { cursor: '#5' } });
    await expect(feed.changes({ ...wanted, after: at(11) })).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    await expect(feed.changes({ ...wanted, monitorIds: [OWN] })).rejects.toMatchObject({ code: 'MONITOR_NOT_FOUND' });
    const oldest = await feed.changes({ ...wanted, after: at(5) });
    expect((await take(oldest, 1))[0]).toMatchObject({ position: 6 });
    await oldest.return();
    expect(feed.subscribers()).toBe(0);
  });
});

describe('the feed of a change log that was restored to an earlier moment', () => {
  it('refuses a cursor for a position after that moment, and offers the one where the epoch begins', async () => {
    const { db, feed } = await feeds();
    await append(db, 5);
    const { id } = await startEpoch(db);
    const [first] = await append(db, 3);
    await expect(feed.changes({ ...wanted, after: at(7) })).rejects.toMatchObject({
      code: 'CURSOR_TOO_OLD',
      message: expect.stringContaining('restored to a moment before this cursor'),
      facts: { cursor: '#5' },
    });
    await expect(feed.changes({ ...wanted, after: at(7, 'another') })).rejects.toMatchObject({ facts: { cursor: '#5' } });
    expect(await take(await feed.changes({ ...wanted, after: at(5) }), 1)).toMatchObject([{ id: first, position: 6, epoch: id }]);
  });

  it('continues after a cursor for a position before that moment, and after one of the new epoch', async () => {
    const { db, feed } = await feeds();
    const old = await append(db, 5);
    const { id } = await startEpoch(db);
    const restored = await append(db, 3);
    const reader = await feed.changes({ ...wanted, after: at(3) });
    expect(reader.cursor).toBe('#3');
    expect((await take(reader, 5)).map((one) => one.id)).toEqual([...old.slice(3), ...restored]);
    expect(reader.cursor).toBe(`#8${id}`);
    expect((await take(await feed.changes({ ...wanted, after: at(7, id) }), 1)).map((one) => one.id)).toEqual(restored.slice(2));
    const live = await feed.changes(wanted);
    expect(live.cursor).toBe(`#8${id}`);
  });

  it('offers the oldest stored change, when those at the start of the epoch were deleted', async () => {
    const { db, feed } = await feeds();
    await append(db, 5);
    const { id } = await startEpoch(db);
    await append(db, 5);
    await db('log_heads').where({ stream: 'changes' }).update({ kept_from: 8 });
    await expect(feed.changes({ ...wanted, after: at(9) })).rejects.toMatchObject({ code: 'CURSOR_TOO_OLD', facts: { cursor: `#7${id}` } });
  });
});

describe('a feed whose reads fail', () => {
  it('continues from its position once the database answers again', async () => {
    const { db, feed, lines } = await feeds();
    const missed = await append(db, 150);
    const late = await feed.changes({ ...wanted, after: at(0) });
    const live = await feed.changes(wanted);
    const first = await take(late, 1);
    await db.raw('ALTER TABLE changes RENAME TO changes_away');
    const rest = take(late, 149);
    const nextEvent = take(live, 1);
    await until(() =>
      ['missed events could not be read; retrying', 'new events could not be read; retrying'].every((msg) =>
        lines.some((line) => line.msg === msg),
      ),
    );
    await db.raw('ALTER TABLE changes_away RENAME TO changes');
    const [now] = await append(db, 1);
    expect([...first, ...(await rest)].map(({ id }) => id)).toEqual(missed);
    expect((await nextEvent).map(({ id }) => id)).toEqual([now]);
  });

  it('fails with CURSOR_TOO_OLD when changes that a slow reader has not read yet are deleted', async () => {
    const { db, feed } = await feeds();
    await append(db, 300);
    const reader = await feed.changes({ ...wanted, after: at(0) });
    await take(reader, 100);
    await db('changes').where('position', '<', 200).delete();
    await db('log_heads').where({ stream: 'changes' }).update({ kept_from: 200 });
    await expect(reader.next()).rejects.toMatchObject({ code: 'CURSOR_TOO_OLD', facts: { cursor: '#199' } });
    expect(feed.subscribers()).toBe(0);
  });

  it('fails with SERVICE_UNAVAILABLE while the database fails, and works afterwards', async () => {
    const { db, feed } = await feeds();
    await db.raw('ALTER TABLE log_heads RENAME TO log_heads_away');
    await expect(feed.changes(wanted)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
    await db.raw('ALTER TABLE log_heads_away RENAME TO log_heads');
    const reader = await feed.changes(wanted);
    const [id] = await append(db, 1);
    expect((await take(reader, 1))[0]?.id).toBe(id);
  });
});

describe('SB-05 a reader that lags', () => {
  it('is evicted once 256 changes wait and it has taken none for 5 s; the error has its last cursor', async () => {
    const { db, feed, clock } = await feeds();
    const reader = await feed.changes(wanted);
    const other = await feed.changes(wanted);
    await append(db, 2);
    await take(reader, 2); // the second is still being sent to the client
    await append(db, 255);
    await take(other, 257);
    clock.now += 60_000;
    await append(db, 1, { keyId: randomUUID() });
    await sleep(1_500);
    expect(reader.evicted.aborted).toBe(false);
    await append(db, 1);
    await take(other, 1);
    await until(() => reader.evicted.aborted);
    expect(reader.evicted.reason).toMatchObject({ code: 'LAGGED', facts: { cursor: '#1' } });
    await expect(reader.next()).rejects.toMatchObject({ code: 'LAGGED' });
    expect(feed.subscribers()).toBe(1);
  });

  it('is not evicted while it catches up and takes one change every 4 s', async () => {
    const { db, feed, clock } = await feeds();
    await append(db, 3_000);
    const reader = await feed.changes({ ...wanted, after: at(0) });
    const fast = await feed.changes(wanted);
    for (let n = 0; n < 12; n += 1) {
      await take(reader, 1);
      clock.now += 4_000;
      await append(db, 300);
      await take(fast, 300);
    }
    expect(reader.evicted.aborted).toBe(false);
    const rest = await take(reader, 3_000 + 12 * 300 - 12);
    expect(rest.at(-1)?.position).toBe(3_000 + 12 * 300);
  });

  it('is not evicted while it waits for a change that matches its filter', async () => {
    const { db, feed, clock } = await feeds();
    const narrow = await feed.changes({ ...wanted, companies: [brazilian(cnpj(7))] });
    const waiting = narrow.next();
    const fast = await feed.changes(wanted);
    await append(db, 3_000);
    await take(fast, 3_000);
    clock.now += 60_000;
    const [hit] = await append(db, 1, { company: brazilian(cnpj(7)) });
    expect((await waiting).value).toMatchObject({ id: hit });
  });
});

describe('SB-07 a feed whose connection for notifications ends', () => {
  it('still returns every change', async () => {
    const { db, feed } = await feeds();
    const reader = await feed.changes(wanted);
    await until(async () => (await listeners(db)) === 1);
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) {
      await db.raw("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'");
      ids.push(...(await append(db, 10)));
    }
    expect((await take(reader, 50)).map(({ id }) => id)).toEqual(ids);
  });
});

/** Counts the connections of this database that run LISTEN. */
async function listeners(db: Knex): Promise<number> {
  const { rows } = await db.raw(
    "SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'LISTEN%'",
  );
  return rows[0].n;
}
