import { expect, it } from 'vitest';
import { readWhileWritten } from '../modules/monitor/feed-reading.ts';
import { feeds } from '../modules/monitor/feed-support.ts';
import { rounds } from '../support/rounds.ts';

it('DB-09 reads 20,000 changes of eight writers once each, in the order of their cursors', async () => {
  const { db, feed } = await feeds();
  await readWhileWritten(db, feed, rounds(20_000), Date.now() % 100_000);
  expect(feed.subscribers()).toBe(0);
});
