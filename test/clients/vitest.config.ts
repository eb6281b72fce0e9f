import { defineConfig } from 'vitest/config';
import { fastTempFolder } from '../support/temp-folder.ts';

/** Third-party clients against one running service of the sandbox, which all files share. */
export default defineConfig({
  test: {
    include: ['*.test.ts'],
    globalSetup: ['../support/build.ts', './service.ts', './client-package.ts'],
    testTimeout: 240_000, // compilers and linters run for seconds on an idle machine
    hookTimeout: 120_000,
    maxWorkers: 2,
    // The checker of regular expressions has a Java, a native and a JavaScript backend. The last one runs everywhere.
    env: { TMPDIR: fastTempFolder(), RECHECK_SYNC_BACKEND: 'pure' },
  },
});
