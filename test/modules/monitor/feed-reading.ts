import type { Knex } from 'knex';
import { expect } from 'vitest';
import type { MonitorEvents } from '../../../src/modules/monitor/service/events.ts';
import { randomOf } from '../../support/random.ts';
import { at, cursorOf, KEY } from './feed-support.ts';
import { writeAtOnce } from './feed-writers.ts';
import { changeLog } from './support.ts';

/** Runs eight writers, and a reader that reconnects every few ms with its last cursor. Expects the reader to read the log exactly once, in order. */
export async function readWhileWritten(db: Knex, feed: MonitorEvents, count: number, seed: number): Promise<void> {
  const random = randomOf(seed);
  const writing = writeAtOnce(db, count, randomOf(seed + 1));
  const read: { id: string; position: number; epoch: string | null }[] = [];
  while (read.length < count) {
    const reader = await feed.changes({ keyId: KEY, cursorOf, after: read.at(-1) ?? at(0) });
    const leaving = setTimeout(() => void reader.return(), random() * 15);
    for await (const { id, position, epoch } of reader) read.push({ id, position, epoch });
    clearTimeout(leaving);
  }
  await writing;
  const log = (await changeLog(db)).map(({ id, position, epoch }) => ({ id, position, epoch }));
  expect(read.length, `seed ${seed}`).toBe(count);
  expect(read, `seed ${seed}`).toEqual(log);
  expect(log.map(({ position }) => position)).toEqual(Array.from({ length: count }, (_, i) => i + 1));
}
