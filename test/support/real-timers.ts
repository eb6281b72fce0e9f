import { setTimeout as realTimeout } from 'node:timers';
import { afterAll, expect } from 'vitest';

/** Fails the file that leaves fake timers behind: in the files after it, which share the process, nothing would ever time out. */
afterAll(() => {
  expect(setTimeout).toBe(realTimeout);
});
