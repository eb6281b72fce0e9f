import { describe, expect, it } from 'vitest';
import type { ListView } from '../../src/sources/registry/list-view.ts';
import { until } from '../support/until.ts';
import { publisher, toyDb } from './toy-db.ts';
import { type Toy, toyCsv, toyRows } from './toy-list.ts';

const toys = toyDb();

/** A view that counts the records, and how often it was built. */
function counting(): ListView<Toy, number> & { readonly builds: () => number } {
  let builds = 0;
  return {
    name: 'count',
    where: {},
    build: async (records) => {
      builds += 1;
      return records.length;
    },
    builds: () => builds,
  };
}

describe('a view of a list', () => {
  it('is built once, when it is first asked for, by all who ask together', async () => {
    const list = toys.registry({ url: (await publisher()).url });
    const view = counting();
    await list.sync();
    expect([view.builds(), list.viewVersion(view)]).toEqual([0, null]);
    const answers = await Promise.all([list.view(view), list.view(view), list.view(view)]);
    expect(answers.map(({ value }) => value)).toEqual([100, 100, 100]);
    expect([view.builds(), list.viewVersion(view)]).toEqual([1, list.version()]);
  });

  it('has the records with the given fields only', async () => {
    const list = toys.registry({ url: (await publisher()).url });
    await list.sync();
    const where = { name: 'São “Norte” \\ & Cia 7' };
    const view: ListView<Toy, readonly Toy[]> = { name: 'one', where, build: async (records) => records };
    expect((await list.view(view)).value).toEqual([where]);
  });

  it('is built again after a load, and the previous one answers until then', async () => {
    const { url, publish } = await publisher();
    const list = toys.registry({ url });
    await list.sync();
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let builds = 0;
    const view: ListView<Toy, number> = {
      name: 'slow',
      where: {},
      build: async (records) => {
        builds += 1;
        if (builds > 1) await released;
        return records.length;
      },
    };
    const before = await list.view(view);
    publish(toyCsv(toyRows(110)));
    expect(await list.sync()).toMatchObject({ outcome: 'loaded' });
    expect(await list.view(view)).toMatchObject({ value: 100, version: { id: before.version.id } });
    release();
    await until(() => list.viewVersion(view) === list.version());
    expect((await list.view(view)).value).toBe(110);
    expect(builds).toBe(2);
  });

  it('is built again when another process has loaded a version', async () => {
    const { url, publish } = await publisher();
    const [one, other] = [toys.registry({ url }), toys.registry({ url })];
    await one.sync();
    const view = counting();
    await other.view(view);
    publish(toyCsv(toyRows(105)));
    await one.sync();
    await other.refresh();
    await until(() => other.viewVersion(view) === one.version());
    expect((await other.view(view)).value).toBe(105);
  });

  it.each([
    ['a renamed column', toyCsv(toyRows(100)).replace('NAME', 'NOMBRE')],
    ['half of the rows', toyCsv(toyRows(50))],
    ['another encoding', Buffer.from(toyCsv(toyRows(100)), 'utf16le')],
  ])('stays as it is after a load with %s', async (_, file) => {
    const { url, publish } = await publisher();
    const list = toys.registry({ url });
    await list.sync();
    const view = counting();
    const before = await list.view(view);
    publish(file);
    expect(await list.sync()).toMatchObject({ outcome: 'refused' });
    expect(await list.view(view)).toMatchObject({ value: before.value, version: { id: before.version.id } });
    expect(view.builds()).toBe(1);
  });

  it('stays as it is when the next one cannot be built, and the next question tries again', async () => {
    const { url, publish } = await publisher();
    const list = toys.registry({ url });
    await list.sync();
    let builds = 0;
    const view: ListView<Toy, number> = {
      name: 'failing',
      where: {},
      build: async (records) => {
        builds += 1;
        if (builds === 2) throw new Error('out of memory');
        return records.length;
      },
    };
    await list.view(view);
    publish(toyCsv(toyRows(102)));
    await list.sync();
    await until(() => builds === 2);
    expect((await list.view(view)).value).toBe(100);
    await until(() => list.viewVersion(view) === list.version());
    expect((await list.view(view)).value).toBe(102);
  });

  it('of a list that was never loaded or is overdue is a failed source', async () => {
    let now = Date.parse('2026-11-21T10:00:00Z');
    const list = toys.registry({ url: (await publisher()).url, now: () => now });
    await expect(list.view(counting())).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
    await list.sync();
    const view = counting();
    await list.view(view);
    now += 2 * 24 * 3_600_000;
    await expect(list.view(view)).rejects.toMatchObject({ code: 'SOURCE_UNAVAILABLE' });
  });
});
