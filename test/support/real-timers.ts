import { setTimeout as realTimeout } from 'node:timers';
import { afterAll, expect } from 'vitest';

/** Fails the file that leaves fake timers behind, because timeouts would never fire in the files after it, which share the process. */
afterAll(() => {
  expect(setTimeout).toBe(realTimeout);
});
