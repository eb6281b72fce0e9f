import { defineConfig, mergeConfig } from 'vitest/config';
import { base, PROCESS_RETRIES } from './vitest.config.ts';

const share = Number(process.env.QUIPU_LONG_SHARE ?? 1);
const KILL_TESTS = ['test/long/**/*killed.test.ts'];

/** Tests that kill, soak or load for minutes. QUIPU_LONG_SHARE (0–1, default 1) scales their rounds. */
export default mergeConfig(
  base,
  defineConfig({
    test: {
      testTimeout: 600_000,
      hookTimeout: 120_000,
      maxWorkers: 1,
      globalSetup: ['test/support/build.ts'],
      env: { QUIPU_TEST_KEYS: String(Math.round(1_000_000 * share)) },
      projects: [
        {
          extends: true,
          test: { name: 'long', include: ['test/long/**/*.test.ts', 'test/auth/key-format.test.ts'], exclude: KILL_TESTS },
        },
        { extends: true, test: { name: 'long-processes', include: KILL_TESTS, retry: PROCESS_RETRIES } },
      ],
    },
  }),
);
