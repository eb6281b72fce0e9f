import { afterEach, expect, it, vi } from 'vitest';
import { createExecutions } from '../../src/metering/executions.ts';

afterEach(() => vi.restoreAllMocks());

/** Executions with one slot. `add` adds work that runs until `end`; `limits` are the times after which what waited so far would be refused. */
function setup() {
  let now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => new AbortController().signal);
  const executions = createExecutions({ perKey: 5, inAll: 5 }, () => 1);
  const ends: (() => void)[] = [];
  const add = (count: number) => {
    for (let i = 0; i < count; i += 1) void executions.run('key', () => new Promise<void>((resolve) => ends.push(resolve)));
  };
  return {
    add,
    limits: () => timeout.mock.calls.map(([ms]) => ms),
    end: async (count: number) => {
      for (const end of ends.splice(0, count)) end();
      await new Promise((resolve) => setImmediate(resolve));
    },
    advance: (ms: number) => {
      now += ms;
    },
  };
}

it('LD-05 an execution waits for a second at most, and for 50 ms while others have been waiting all the time for half a second', async () => {
  const { add, end, limits, advance } = setup();
  add(7); // two wait
  advance(600);
  await end(1); // one waits
  add(1);
  expect(limits()).toEqual([1_000, 1_000, 50]);

  await end(5);
  await end(5);
  advance(600);
  add(6);
  expect(limits()).toEqual([1_000, 1_000, 50, 1_000]);
});
