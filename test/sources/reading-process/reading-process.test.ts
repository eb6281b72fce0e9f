import { describe, expect, it } from 'vitest';
import { runInContext } from '../../../src/sources/http/call-context.ts';
import { createReadingProcesses, TooCostly } from '../../../src/sources/reading-process/reading-process.ts';
import type { Task } from './test-process.ts';

const create = (processes = 2, perCaller = 1) =>
  createReadingProcesses<Task, unknown>({ beside: import.meta.url, name: 'test-process', processes, perCaller, deadlineMs: 60_000 });

describe('a process for texts of strangers', () => {
  it('is used again', async () => {
    const readers = create();
    expect(await readers.run('pid')).toBe(await readers.run('pid'));
  });

  it('goes on after work that failed', async () => {
    const readers = create();
    const first = await readers.run('pid');
    await expect(readers.run('throw')).rejects.toThrow('a page that cannot be read');
    expect(await readers.run('pid')).toBe(first);
  });

  it.each(['loop', 'backtrack'] as const)('ends work that passes its deadline (%s), and does the next', async (task) => {
    const readers = create(1);
    await expect(readers.run(task, 50)).rejects.toThrow(TooCostly);
    expect(await readers.run('pid')).toEqual(expect.any(Number));
  });

  it.each(['exit', 'fill'] as const)('that ends by its work (%s) harms nobody, and another one takes its place', async (task) => {
    const readers = create(1);
    await expect(readers.run(task)).rejects.toThrow(TooCostly);
    expect(await readers.run('pid')).toEqual(expect.any(Number));
  });

  it('knows no secrets of the service', async () => {
    process.env.QUIPU_MADE_UP_SECRET = 'x';
    expect(await create().run('secrets')).not.toContain('QUIPU_MADE_UP_SECRET');
  });

  it('is left for other callers by one whose work takes long', async () => {
    const readers = create(2, 1);
    const as = (caller: string, task: Task, deadlineMs?: number) => runInContext({ caller }, () => readers.run(task, deadlineMs));
    const ended: string[] = [];
    const hostile = [1, 2, 3].map(() => as('hostile', 'loop', 5_000).catch(() => ended.push('hostile')));
    expect(await as('other', 'pid')).toEqual(expect.any(Number));
    expect(ended.length).toBeLessThan(3);
    await Promise.all(hostile);
    expect(ended).toHaveLength(3);
  });

  it('does no work that nobody waits for any more', async () => {
    const readers = create(1);
    const abort = new AbortController();
    const first = readers.run('loop', 1_000).catch(() => undefined);
    const dropped = runInContext({ signal: abort.signal }, () => readers.run('pid'));
    abort.abort();
    await expect(dropped).rejects.toThrow();
    await first;
  });
});
