import { defineConfig } from 'vitest/config';

/** The check of every regular expression of src, which takes about a minute. It needs no database. */
export default defineConfig({
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: false } },
  // The checker has a Java, a native and a JavaScript backend. The last one runs everywhere.
  test: { include: ['test/patterns/**/*.test.ts'], testTimeout: 600_000, env: { RECHECK_SYNC_BACKEND: 'pure' } },
});
