import { expect, it } from 'vitest';
import { readWhileWritten } from './feed-reading.ts';
import { feeds } from './feed-support.ts';

it('DB-09 misses nothing and repeats nothing while eight writers commit, whoever comes first, and the reader comes and goes', async () => {
  const { db, feed } = await feeds();
  await readWhileWritten(db, feed, 2_000, Date.now() % 100_000);
  expect(feed.subscribers()).toBe(0);
});
