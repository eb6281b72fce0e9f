import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { FairSlots, type FairSlotsOptions, NoSlot, type RunOptions } from '../../src/scheduling/fair-slots.ts';

/** Work of the letters of `names` in this order, each letter an owner. `end` ends the oldest work of an owner that runs. */
function setup(
  options: Omit<FairSlotsOptions, 'slots' | 'waiting'> & { slots: number | (() => number); waiting: number | (() => number) },
) {
  const { slots: given, waiting } = options;
  const asFunction = (count: number | (() => number)) => (typeof count === 'number' ? () => count : count);
  const slots = new FairSlots({ ...options, slots: asFunction(given), waiting: asFunction(waiting) });
  const running: { owner: string; end: () => void }[] = [];
  const refused: string[] = [];
  const add = (owner: string, runOptions?: RunOptions) =>
    slots
      .run(owner, () => new Promise<void>((resolve) => running.push({ owner, end: resolve })), runOptions)
      .catch((error: unknown) => refused.push(`${owner} ${error instanceof NoSlot ? error.full : (error as Error).message}`));
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    slots,
    refused,
    add,
    async addAll(names: string) {
      for (const owner of names) void add(owner);
      await settle();
    },
    async end(owner?: string) {
      const index = running.findIndex((one) => owner === undefined || one.owner === owner);
      running.splice(index, 1)[0]?.end();
      await settle();
    },
    names: () => running.map(({ owner }) => owner).join(''),
  };
}

describe('fair slots', () => {
  it('run work up to their number, and waiting work in the order of arrival', async () => {
    const { addAll, end, names, refused, slots } = setup({ slots: 2, waiting: 2 });
    await addAll('aaaaa');
    expect([names(), refused, slots.running, slots.waiting]).toEqual(['aa', ['a all'], 2, 2]);
    for (let i = 0; i < 4; i += 1) await end();
    expect([names(), slots.running, slots.waiting]).toEqual(['', 0, 0]);
  });

  it('give a free slot to the owner that has the fewest, and in turn among equals', async () => {
    const { addAll, end, names } = setup({ slots: 3, waiting: 20 });
    await addAll('aaaaaabbcc');
    const order: string[] = [];
    for (let i = 0; i < 7; i += 1) {
      await end();
      order.push(names().at(-1) ?? '');
    }
    expect(order.join('')).toBe('bcabcaa');
  });

  it('refuse an owner beyond its own share while others have room', async () => {
    const { addAll, names, refused, slots } = setup({ slots: 4, slotsPerOwner: () => 2, waiting: 10, waitingPerOwner: 1 });
    await addAll('aaaab');
    expect([names(), refused]).toEqual(['aab', ['a owner']]);
    expect([slots.refusal('a'), slots.refusal('b'), slots.refusal('c')]).toEqual(['owner', null, null]);
  });

  it('refuse the newest work of the owner that waits most, not the newcomer that waits least', async () => {
    const { addAll, end, names, refused } = setup({ slots: 1, waiting: 3 });
    await addAll('aaaa');
    await addAll('b');
    expect(refused).toEqual(['a all']);
    await addAll('bb');
    expect(refused).toEqual(['a all', 'b all', 'b all']);
    await end();
    await end();
    expect(names()).toBe('b');
  });

  it('never refuse work that must wait, and do not count it', async () => {
    const { add, addAll, end, refused, slots } = setup({ slots: 1, waiting: 1, waitingPerOwner: 1 });
    await addAll('a');
    for (let i = 0; i < 5; i += 1) void add('a', { mustWait: true });
    await addAll('bcc');
    expect([refused, slots.waiting]).toEqual([['c all', 'c all'], 1]);
    for (let i = 0; i < 7; i += 1) await end();
    expect(slots.running).toBe(0);
  });

  it('end a wait with the reason of its signal', async () => {
    const { add, addAll, refused, slots } = setup({ slots: 1, waiting: 5 });
    await addAll('a');
    const abort = new AbortController();
    const waited = add('b', { signal: abort.signal });
    abort.abort(new Error('late'));
    await waited;
    await add('b', { signal: abort.signal });
    expect([refused, slots.waiting]).toEqual([['b late', 'b late'], 0]);
  });

  it('end a wait at its limit, but not the wait of work that must wait', async () => {
    const limit = new AbortController();
    const { add, addAll, refused, slots } = setup({ slots: 2, slotsPerOwner: () => 1, waiting: 5, waitLimit: () => limit.signal });
    await addAll('a');
    void add('a', { mustWait: true });
    const owners = add('a');
    await addAll('b');
    limit.abort();
    await owners;
    expect([refused, slots.waiting]).toEqual([['a all'], 0]);
  });

  it('start no work while more runs than a lowered number, and all that fits once it is raised', async () => {
    let most = 3;
    const { addAll, end, names } = setup({ slots: () => most, waiting: 20 });
    await addAll('aaabbbbbb');
    most = 1;
    await end('a');
    await end('a');
    expect(names()).toBe('a');
    most = 4;
    await end('a');
    expect(names()).toBe('bbbb');
  });

  it('refuse the newest of what waits beyond a lowered number, as soon as work ends, but not work that must wait', async () => {
    let places = 4;
    const { add, addAll, end, names, refused, slots } = setup({ slots: 1, waiting: () => places });
    await addAll('ab');
    void add('c', { mustWait: true });
    await addAll('bb');
    places = 0;
    await end();
    expect([names(), refused, slots.waiting]).toEqual(['c', ['b all', 'b all', 'b all'], 0]);
  });

  it('free the slot of work that fails', async () => {
    const slots = new FairSlots({ slots: () => 1, waiting: () => 0 });
    await expect(slots.run('a', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    await expect(slots.run('a', async () => 'next')).resolves.toBe('next');
  });

  it('hold every bound and lose no work, whatever comes in whatever order', async () => {
    const step = fc.oneof(fc.constantFrom('add a', 'add a', 'add b', 'add c'), fc.constantFrom('end', 'end a', 'end b'));
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const { add, end, names, refused, slots } = setup({ slots: 3, slotsPerOwner: () => 2, waiting: 4, waitingPerOwner: 3 });
        let added = 0;
        for (const one of steps) {
          const [action, owner] = one.split(' ');
          if (action === 'end') await end(owner);
          else {
            added += 1;
            void add(owner ?? '');
          }
          expect(slots.running).toBeLessThanOrEqual(3);
          expect(slots.waiting).toBeLessThanOrEqual(4);
          expect([...names()].filter((name) => name === 'a').length).toBeLessThanOrEqual(2);
        }
        for (let i = 0; i < added; i += 1) await end();
        expect([slots.running, slots.waiting, names()]).toEqual([0, 0, '']);
        expect(refused.length).toBeLessThanOrEqual(added);
      }),
      { numRuns: 100 },
    );
  });

  it('start work of others while one owner runs more than its share of slots that have become fewer', async () => {
    let slots = 20;
    let share = 10;
    const { addAll, names, refused, slots: fair } = setup({ slots: () => slots, slotsPerOwner: () => share, waiting: 0 });
    await addAll('aaaaaaaaaa');
    slots = 3;
    share = 1;
    expect([fair.isFull, fair.refusal('a'), fair.refusal('b')]).toEqual([false, 'all', null]);
    await addAll('abc');
    expect([names(), refused]).toEqual(['aaaaaaaaaabc', ['a all']]);
    expect([fair.isFull, fair.refusal('d')]).toEqual([true, 'all']);
  });
});
