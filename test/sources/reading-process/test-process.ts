import { answerInProcess } from '../../../src/sources/reading-process/entry.ts';

export type Task = 'pid' | 'loop' | 'backtrack' | 'throw' | 'exit' | 'fill' | 'secrets';

/** A process of the tests: answers with its id, runs for ever, fails, ends, takes all memory, or tells its environment. */
answerInProcess((task: Task): unknown => {
  const taken: unknown[] = [];
  while (task === 'loop');
  while (task === 'fill') taken.push(Array.from({ length: 1_000_000 }, (_, i) => `${i}`));
  if (task === 'backtrack') return /^(a+)+$/.test(`${'a'.repeat(60)}b`);
  if (task === 'throw') throw new Error('a page that cannot be read');
  if (task === 'exit') process.exit(1);
  if (task === 'secrets') return Object.keys(process.env);
  return process.pid;
});
