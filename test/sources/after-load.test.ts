import type { Knex } from 'knex';
import { describe, expect, it } from 'vitest';
import { filesIn } from '../support/files.ts';
import { memoryLog } from '../support/log.ts';
import { undeletable } from '../support/undeletable.ts';
import { siiDb, siiOn, publisher as siiPublisher } from './sii/support.ts';
import { nominaOf } from './sii/tables.ts';
import { namesOf, publisher, toyDb } from './toy-db.ts';
import { toyCsv, toyRows } from './toy-list.ts';

const toys = toyDb();
const registry = siiDb();

/**
 * A database that gets only the first statements, over the pool or compiled for a connection outside it. What such a connection was given
 * before stays.
 */
function answering(knex: Knex, statements: number): Knex {
  let left = statements;
  return new Proxy(knex, {
    get(target, name) {
      if (name !== 'raw') return Reflect.get(target, name);
      left -= 1;
      if (left >= 0) return target.raw;
      return () => {
        throw new Error('the database has no connection');
      };
    },
  });
}

describe('a list that was loaded', () => {
  it('counts as loaded if its downloaded files cannot be deleted, which is logged; the next sync deletes them', async () => {
    const { url } = await publisher();
    const { log, lines } = memoryLog();
    const list = toys.registry({ url, log });
    const end = undeletable();
    expect(await list.sync()).toMatchObject({ outcome: 'loaded', version: { entries: 100 } });
    end();
    expect(await list.status()).toMatchObject({ lastError: null });
    expect(lines).toContainEqual(expect.objectContaining({ level: 50, code: 'EIO' }));
    expect(await filesIn(toys.tempDir())).not.toEqual([]);
    expect(await list.sync()).toMatchObject({ outcome: 'unchanged' });
    expect(await filesIn(toys.tempDir())).toEqual([]);
  });

  it('counts as loaded if it cannot be read afterwards, with the version that is read later', async () => {
    const { url } = await publisher();
    const result = await toys.registry({ url, db: answering(toys.db().knex, 1) }).sync();
    expect(result).toMatchObject({ outcome: 'loaded' });
    const { goodUntil: _, ...list } = (await toys.registry({ url }).status()).list ?? { goodUntil: 0 };
    expect(result).toEqual({ outcome: 'loaded', version: list });
  });
});

describe('the copy of the Chilean registry that was loaded', () => {
  it('counts as loaded if its downloaded files cannot be deleted, which is logged; the next sync deletes them', async () => {
    const { at } = await siiPublisher({ 'e.txt': nominaOf(3) });
    const copy = registry.sii({ urls: { EMPRESAS: at('e.txt') } });
    const end = undeletable();
    expect(await copy.sync()).toMatchObject({ outcome: 'loaded', version: { entries: 3 } });
    end();
    expect(await copy.status()).toMatchObject({ lastError: null });
    expect(copy.lines).toContainEqual(expect.objectContaining({ level: 50, code: 'EIO' }));
    expect(await copy.sync()).toMatchObject({ outcome: 'unchanged' });
    expect(await registry.leftovers()).toEqual([]);
  });

  it('counts as loaded if it cannot be read afterwards, with the version that is read later', async () => {
    const { at } = await siiPublisher({ 'e.txt': nominaOf(3) });
    const urls = { EMPRESAS: at('e.txt') };
    const result = await siiOn({ db: answering(registry.db().knex, 2), tempDir: registry.tempDir(), urls }).sync();
    const { goodUntil: _, ...list } = (await registry.sii({ urls }).status()).list ?? { goodUntil: 0 };
    expect(result).toEqual({ outcome: 'loaded', version: list });
  });
});

describe('an old version of a list that cannot be deleted', () => {
  it('is logged, the new one counts as loaded and answers, and the next load deletes the old ones', async () => {
    const { url, publish } = await publisher();
    const { log, lines } = memoryLog();
    const list = toys.registry({ url, log });
    await list.sync();
    const [old = ''] = (await toys.partitions()).filter((table) => !table.includes('keys'));
    const reader = await toys.db().knex.transaction();
    await reader.raw('SELECT FROM ?? LIMIT 1', [old]); // by its own name, so that the parent is not locked
    publish(toyCsv(toyRows(101, 'Nova')));
    expect(await list.sync()).toMatchObject({ outcome: 'loaded', version: { entries: 101 } });
    await reader.rollback();
    expect(await namesOf(list, 101)).toEqual([['Nova 101']]);
    expect(lines).toContainEqual(expect.objectContaining({ level: 50, list: 'CEIS', code: '55P03', table: old }));
    expect(await toys.partitions()).toContain(old);
    publish(toyCsv(toyRows(102, 'Outra')));
    expect(await list.sync()).toMatchObject({ outcome: 'loaded' });
    expect(await toys.partitions()).toHaveLength(1);
  });
});
