import { describe, expect, it } from 'vitest';
import { Marks } from '../../bench/monitors/marks.ts';

describe('marks of changes', () => {
  it('are told apart, and give a latency for each time that one came', async () => {
    const marks = new Marks();
    const [first, second] = [marks.make(), marks.make()];
    for (const mark of [first, second, second]) marks.receive(mark);
    await marks.all([first], 1);
    await marks.all([second], 2);
    expect(marks.latencies([first, second])).toHaveLength(3);
    for (const ms of marks.latencies([first, second])) expect(ms).toBeGreaterThanOrEqual(0);
  });

  it('do not pass when one came twice, and take no notice of what nobody made', async () => {
    const marks = new Marks();
    const mark = marks.make();
    marks.receive(mark);
    marks.receive(mark);
    marks.receive('another');
    await expect(marks.all([mark], 1)).rejects.toThrow('a change came 2 times instead of 1');
    expect(marks.latencies(['another'])).toEqual([]);
  });

  it('wait for one that is still to come', async () => {
    const marks = new Marks();
    const mark = marks.make();
    const waiting = marks.all([mark], 1);
    setTimeout(() => marks.receive(mark), 30);
    await waiting;
    expect(marks.latencies([mark])).toHaveLength(1);
  });
});
