import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createDb } from '../../src/db/knex.ts';
import { type SilentProxy, silentProxy } from '../support/silent-proxy.ts';
import { siiDb, siiOn, publisher as siiPublisher } from './sii/support.ts';
import { nominaOf } from './sii/tables.ts';
import { publisher, toyDb } from './toy-db.ts';
import { personOf } from './toy-list.ts';

const toys = toyDb();
const registry = siiDb();

let proxy: SilentProxy;
let slow: ReturnType<typeof createDb>;
beforeEach(async () => {
  proxy = await silentProxy(toys.db().url);
  slow = createDb(proxy.url);
  proxy.delayNew(5_000);
});
afterEach(async () => {
  await slow.destroy();
  proxy.close();
});

describe('a Postgres that needs 5 s for a connection', { timeout: 60_000 }, () => {
  it('gets a list loaded, while a request that reads it fails within 5 s', async () => {
    const { url } = await publisher();
    const list = toys.registry({ url, db: slow });
    expect(await list.sync()).toMatchObject({ outcome: 'loaded', version: { entries: 100 } });
    expect(await list.sync()).toMatchObject({ outcome: 'unchanged' });
    const startedAt = performance.now();
    await expect(list.lookup([personOf(1)])).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });

  it('gets the copy of the Chilean registry loaded', async () => {
    const { at } = await siiPublisher({ 'e.txt': nominaOf(3) });
    const other = await silentProxy(registry.db().url);
    other.delayNew(5_000);
    const db = createDb(other.url);
    try {
      const copy = siiOn({ db, tempDir: registry.tempDir(), urls: { EMPRESAS: at('e.txt') } });
      expect(await copy.sync()).toMatchObject({ outcome: 'loaded', version: { entries: 3 } });
    } finally {
      await db.destroy();
      other.close();
    }
  });

  it('does not keep a load that is waiting for a connection from being stopped', async () => {
    const { url } = await publisher();
    const stop = new AbortController();
    const sync = toys.registry({ url, db: slow }).sync({ signal: stop.signal });
    const startedAt = performance.now();
    setTimeout(() => stop.abort(), 200);
    expect(await sync).toEqual({ outcome: 'refused', reason: 'stopped' });
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });
});
