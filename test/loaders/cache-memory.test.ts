import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CacheEntry, CacheMemory, type CacheOwner, createCacheMemory, sizeOf } from '../../src/cache/memory.ts';
import { HOUR_MS } from '../../src/domain/time.ts';
import { createLoaders, type FetchingLoader } from '../../src/loaders/loader.ts';
import type { Use } from '../../src/sources/source.ts';

const use: Use = () => {
  throw new Error('these loaders use no source');
};

/** A loader of texts, and the keys that it was asked for. */
function texts(name: string, { length = 1_000, ownPart }: { length?: number; ownPart?: (value: string) => unknown } = {}) {
  const asked: string[] = [];
  const loader: FetchingLoader<string, string> = {
    name,
    key: (key) => key,
    cache: { ttlMs: () => HOUR_MS, maxStaleAgeMs: () => HOUR_MS, ...(ownPart && { ownPart }) },
    batch: (keys) => {
      asked.push(...keys);
      return keys.map(async (key) => ({ value: key.repeat(length), dataAsOf: null }));
    },
  };
  return { loader, asked };
}

const sum = (memory: CacheMemory): number => [...memory.bytes().values()].reduce((all, bytes) => all + bytes, 0);

describe('the memory of the caches', () => {
  it('bounds all loaders together, and drops first what was used least recently, whichever loader has it', async () => {
    const memory = new CacheMemory(12_000);
    const loaders = createLoaders(use, () => 0, { memory });
    const [one, other] = [texts('one'), texts('other')];
    await loaders.scope()(one.loader, 'a');
    await loaders.scope()(other.loader, 'b');
    await loaders.scope()(one.loader, 'a');
    for (const key of ['c', 'd', 'e']) await loaders.scope()(one.loader, key);
    expect(sum(memory)).toBeLessThanOrEqual(12_000);
    await loaders.scope()(one.loader, 'a');
    await loaders.scope()(other.loader, 'b');
    expect({ one: one.asked, other: other.asked }).toEqual({ one: ['a', 'c', 'd', 'e'], other: ['b', 'b'] });
  });

  it('tells the bytes of each loader', async () => {
    const memory = createCacheMemory();
    const loaders = createLoaders(use, () => 0, { memory });
    const [long, short] = [texts('long', { length: 50_000 }), texts('short', { length: 1 })];
    await loaders.scope()(long.loader, 'a');
    await loaders.scope()(short.loader, 'a');
    const { long: ofLong = 0, short: ofShort = 0 } = Object.fromEntries(memory.bytes());
    expect(ofLong - ofShort).toBe(49_999);
  });

  it('counts a replaced answer once', async () => {
    let now = 0;
    const memory = createCacheMemory();
    const loaders = createLoaders(use, () => now, { memory });
    const { loader } = texts('texts');
    await loaders.scope()(loader, 'a');
    const before = sum(memory);
    now = 2 * HOUR_MS;
    await loaders.scope()(loader, 'a');
    expect(sum(memory)).toBe(before);
  });

  it('gives an answer that is larger than itself, and does not keep it', async () => {
    const memory = new CacheMemory(10_000);
    const loaders = createLoaders(use, () => 0, { memory });
    const { loader, asked } = texts('texts', { length: 20_000 });
    await expect(loaders.scope()(loader, 'a')).resolves.toMatchObject({ value: 'a'.repeat(20_000) });
    await loaders.scope()(loader, 'a');
    expect({ asked, bytes: sum(memory) }).toEqual({ asked: ['a', 'a'], bytes: 0 });
  });

  it('does not count what the values of a loader share', async () => {
    const memory = createCacheMemory();
    const loaders = createLoaders(use, () => 0, { memory });
    await loaders.scope()(texts('shared', { length: 50_000, ownPart: () => null }).loader, 'a');
    expect(sum(memory)).toBeLessThan(50_000);
  });

  it('holds its bound and the sum of what is kept over any sequence of adding, using and removing', () => {
    const step = fc.record({ do: fc.constantFrom('add', 'touch', 'remove'), at: fc.nat(30), bytes: fc.integer({ min: 1, max: 600 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
        const memory = new CacheMemory(1_000);
        const kept = new Map<number, CacheEntry>();
        const owner: CacheOwner = {
          name: 'numbers',
          drop: (dropped) => {
            for (const [at, one] of kept) if (one === dropped) kept.delete(at);
          },
        };
        for (const { do: what, at, bytes } of steps) {
          const one = kept.get(at);
          if (what === 'touch' && one) memory.touch(one);
          if (what === 'remove' && one) memory.remove(one);
          if (what === 'add' && !one) {
            const added = { owner, bytes };
            kept.set(at, added);
            memory.add(added);
          }
          expect(sum(memory)).toBeLessThanOrEqual(1_000);
          expect(sum(memory)).toBe([...kept.values()].reduce((all, { bytes: size }) => all + size, 0));
        }
      }),
    );
  });
});

describe('the estimated size', () => {
  it.each([
    { value: null, bytes: 0 },
    { value: 7, bytes: 0 },
    { value: 'four', bytes: 20 },
    { value: { a: 1, b: 'four' }, bytes: 60 },
    { value: [1, 'four'], bytes: 60 },
    { value: new Set(['four']), bytes: 52 },
    { value: { list: [{ a: null }] }, bytes: 96 },
  ])('of $value is $bytes bytes', ({ value, bytes }) => {
    expect(sizeOf(value)).toBe(bytes);
  });
});
