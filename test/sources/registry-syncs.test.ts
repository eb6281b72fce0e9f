import type { Knex } from 'knex';
import { describe, expect, it } from 'vitest';
import { needsRealClock } from '../support/clock.ts';
import { filesIn } from '../support/files.ts';
import { upstream } from '../support/upstream.ts';
import { namesOf, publisher, toyDb } from './toy-db.ts';
import { personOf, toyCsv, toyRows, toySpec } from './toy-list.ts';

const toys = toyDb();

describe('a later sync', () => {
  it('updates the check time when nothing changed', async () => {
    const clock = { at: Date.parse('2026-11-21T10:00:00Z') };
    const { url } = await publisher();
    const list = toys.registry({ url, now: () => clock.at });
    const first = await list.sync();
    clock.at += 1_000;
    const second = await list.sync();
    expect(second).toMatchObject({ outcome: 'unchanged', version: { loadedAt: clock.at - 1_000, checkedAt: clock.at } });
    expect('version' in first && 'version' in second && first.version.id === second.version.id).toBe(true);
    expect(await toys.db().knex('registry_versions')).toHaveLength(1);
  });

  it('replaces the version; another process sees it after a refresh', async () => {
    const { url, publish } = await publisher();
    const [list, other] = [toys.registry({ url }), toys.registry({ url })];
    await list.sync();
    await other.refresh();
    const before = other.version();
    publish(toyCsv(toyRows(101, 'Nova')));
    expect(await list.sync()).toMatchObject({ outcome: 'loaded', version: { entries: 101 } });
    expect(other.version()).toBe(before);
    await other.refresh();
    expect(other.version()).toBe(list.version());
    expect(other.version()).not.toBe(before);
    expect(await namesOf(other, 101)).toEqual([['Nova 101']]);
    expect(await toys.partitions()).toHaveLength(1);
  });

  it('detects a change in a companion file when the list did not change', async () => {
    const files = { list: toyCsv(toyRows(60)), notes: 'first' };
    const { url } = await upstream((place) => ({ body: place === '/toy.csv' ? files.list : files.notes }));
    const read = async function* (file: Parameters<typeof toySpec.read>[0]) {
      await file.companion('notes.txt');
      return yield* toySpec.read(file);
    };
    const list = toys.registry({ url: `${url}/toy.csv`, spec: { read } });
    expect(await list.sync()).toMatchObject({ outcome: 'loaded' });
    expect(await list.sync()).toMatchObject({ outcome: 'unchanged' });
    files.notes = 'second';
    expect(await list.sync()).toMatchObject({ outcome: 'loaded' });
    expect(await toys.partitions()).toHaveLength(1);
  });

  it('is skipped while another process syncs', async () => {
    const { url } = await upstream(() => (_, response) => void setTimeout(() => response.end(toyCsv(toyRows(60))), 300));
    const lists = [toys.registry({ url }), toys.registry({ url }), toys.registry({ url })];
    const outcomes = (await Promise.all(lists.map((list) => list.sync()))).map(({ outcome }) => outcome);
    expect(outcomes.toSorted()).toEqual(['busy', 'busy', 'loaded']);
  });

  it('leaves no files, tables or error when it is cancelled', async () => {
    const { url } = await upstream(() => (_, response) => void response.writeHead(200).write('ID;'));
    const stop = new AbortController();
    const list = toys.registry({ url });
    const sync = list.sync({ signal: stop.signal });
    setTimeout(() => stop.abort(), 200);
    expect(await sync).toEqual({ outcome: 'refused', reason: 'stopped' });
    expect(await list.sync({ signal: stop.signal })).toEqual({ outcome: 'refused', reason: 'stopped' });
    expect(await list.status()).toMatchObject({ lastErrorAt: null });
    expect([await filesIn(toys.tempDir()), await toys.partitions()]).toEqual([[], []]);
  });

  it('is atomic for concurrent readers', async () => {
    const { url, publish } = await publisher(toyCsv(toyRows(300, 'v0')));
    const list = toys.registry({ url });
    await list.sync();
    const seen = new Set<string>();
    let done = false;
    const readers = Array.from({ length: 4 }, async () => {
      while (!done) {
        const { version, entries } = await list.lookup([personOf(1), personOf(300)]);
        const names = [...entries.values()].map(([entry]) => entry?.record.name.split(' ')[0]);
        seen.add(`${version.checksum.slice(0, 8)} ${names.join('+')}`);
      }
    });
    for (let version = 1; version <= 15; version += 1) {
      publish(toyCsv(toyRows(300, `v${version}`)));
      expect(await list.sync()).toMatchObject({ outcome: 'loaded' });
    }
    done = true;
    await Promise.all(readers);
    const whole = new Map([...seen].map((line) => line.split(' ') as [string, string]));
    expect(whole.size).toBe(seen.size); // one content per version
    for (const names of whole.values()) expect(names).toMatch(/^(v\d+)\+\1$/);
  });

  it('waits for a long reader without blocking short ones, and ends as refused', needsRealClock, async () => {
    const { url, publish } = await publisher();
    const list = toys.registry({ url });
    await list.sync();
    publish(toyCsv(toyRows(101)));
    await toys.db().knex.transaction(async (reader: Knex.Transaction) => {
      await reader.raw('SELECT count(*) FROM registry_entries');
      const sync = list.sync();
      let longest = 0;
      for (let i = 0; i < 20; i += 1) {
        const start = performance.now();
        await list.lookup([personOf(1)]);
        longest = Math.max(longest, performance.now() - start);
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      expect(longest).toBeLessThan(400);
      expect(await sync).toMatchObject({ outcome: 'refused', reason: 'load_failed' });
    });
    expect(await toys.partitions()).toHaveLength(1);
    expect(await list.sync()).toMatchObject({ outcome: 'loaded' });
  });
});

describe('an implausible version', () => {
  it.each([
    ['shrunk', 94],
    ['empty', 0],
  ])('is refused when it is %s (%i rows of 100)', async (reason, rows) => {
    const { url, publish } = await publisher();
    const list = toys.registry({ url });
    await list.sync();
    publish(toyCsv(toyRows(rows, 'Nova')));
    expect(await list.sync()).toEqual({ outcome: 'refused', reason });
    expect(await namesOf(list, 1)).toEqual([['São “Norte” \\ & Cia 1']]);
  });

  it('is loaded by force, unless it is empty', async () => {
    const { url, publish } = await publisher();
    const list = toys.registry({ url });
    await list.sync();
    publish(toyCsv(toyRows(10, 'Nova')));
    expect(await list.sync({ force: true })).toMatchObject({ outcome: 'loaded', version: { entries: 10 } });
    publish(toyCsv([]));
    expect(await list.sync({ force: true })).toEqual({ outcome: 'refused', reason: 'empty' });
  });

  it('may lose 5 % and, below 1,000 rows, grow freely; above, not', async () => {
    const { url, publish } = await publisher();
    const list = toys.registry({ url });
    for (const [rows, outcome] of [
      [100, 'loaded'],
      [95, 'loaded'],
      [1_500, 'loaded'],
      [2_250, 'loaded'],
      [3_376, 'refused'],
    ] as const) {
      publish(toyCsv(toyRows(rows)));
      expect(await list.sync()).toMatchObject({ outcome });
    }
    expect(await list.status()).toMatchObject({ lastError: 'grown' });
  });

  it.each([
    ['live', 'refused'],
    ['given', 'loaded'],
    ['sandbox', 'loaded'],
  ] as const)('of four rows from a %s address is %s', async (origin, outcome) => {
    const list = toys.registry({ url: (await publisher(toyCsv(toyRows(4)))).url, origin });
    expect(await list.sync()).toMatchObject({ outcome, ...(outcome === 'refused' && { reason: 'too_small' }) });
  });

  it('on a first load leaves a failed source instead of an empty list', async () => {
    const list = toys.registry({ url: (await publisher(toyCsv([]))).url });
    await list.sync();
    await expect(list.lookup([personOf(1)])).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    expect(await list.status()).toMatchObject({ usable: false, lastError: 'empty', list: null });
  });
});
