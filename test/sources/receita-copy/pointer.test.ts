import { describe, expect, it, onTestFinished } from 'vitest';
import { until } from '../../support/until.ts';
import { copyDb, folderOf, monthOf, NOW } from './support.ts';

const { copy, knex } = copyDb();
const TTL_MS = 5_000;

/** A reader, the number of statements that it has sent, and its clock. */
function readerOf(own: ReturnType<typeof copy>, clock: { now: number }) {
  let sent = 0;
  const count = () => {
    sent += 1;
  };
  knex().on('query', count);
  onTestFinished(() => void knex().off('query', count));
  return { reader: own.reader(() => clock.now), sent: () => sent };
}

/** Looks often, as requests that are answered from memory do. */
async function look(reader: ReturnType<ReturnType<typeof copy>['reader']>): Promise<void> {
  for (let i = 0; i < 100; i += 1) {
    reader.version();
    reader.cacheVersion();
    reader.problem();
    if (i % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('the pointer to the version of the copy that answers', () => {
  it('is read once in five seconds by requests from memory, also while no version is loaded', async () => {
    const clock = { now: NOW };
    const { reader, sent } = readerOf(copy(), clock);
    await look(reader);
    await until(() => reader.problem() === 'missing');
    await look(reader);
    expect(sent()).toBe(1);
    clock.now += TTL_MS;
    await look(reader);
    await until(() => sent() > 1);
    await look(reader);
    expect(sent()).toBe(2);
  });

  it('shows the first import to requests from memory after that time', async () => {
    const clock = { now: NOW };
    const own = copy();
    const { reader } = readerOf(own, clock);
    await reader.refresh();
    expect(reader.cacheVersion()).toBeNull();
    await own.load(await folderOf(monthOf(2)));
    clock.now += TTL_MS;
    reader.version();
    await until(() => reader.version() !== null);
    expect(reader.problem()).toBeNull();
  });
});
