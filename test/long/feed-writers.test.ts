import { expect, it } from 'vitest';
import { readWhileWritten } from '../modules/monitor/feed-reading.ts';
import { feeds } from '../modules/monitor/feed-support.ts';
import { rounds } from '../support/rounds.ts';

it('DB-09 a feed reads each change of concurrent writers once, in the order of the cursors', async () => {
  const { db, feed } = await feeds();
  await readWhileWritten(db, feed, rounds(20_000), Date.now() % 100_000);
  expect(feed.subscribers()).toBe(0);
});
