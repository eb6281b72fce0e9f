import { expect, it } from 'vitest';
import { readWhileWritten } from './feed-reading.ts';
import { feeds } from './feed-support.ts';

it('DB-09 a reader that reconnects reads every change exactly once, in order, while eight writers commit', async () => {
  const { db, feed } = await feeds();
  await readWhileWritten(db, feed, 2_000, Date.now() % 100_000);
  expect(feed.subscribers()).toBe(0);
});
