import { defineConfig, mergeConfig } from 'vitest/config';
import { isQuick, rounds } from './test/support/rounds.ts';
import { base, PROCESS_RETRIES } from './vitest.config.ts';

const files = (...names: string[]): string[] => names.map((name) => `test/long/${name}.test.ts`);

const KILL_TESTS = files('**/*killed');
/** Tests that `npm test` runs with fewer rounds of the same function: left out below a share of 0.1. */
const REPEATED = files('compiled-executor', 'damaged-answers', 'feed-writers', 'monitor-histories', 'resume', 'subsets');
/** Tests that assert times whatever their rounds, or load the machine: each runs alone. */
const ALONE = [
  ...files('adversarial-operations', 'database-away', 'hostile-documents', 'isolation', 'keys', 'limit-shared', 'overload'),
  ...files('slow-clients', 'sockets', 'upstream', 'usage-shared', 'webhook-endpoints', 'load/leaks', 'load/throughput'),
];

/** Tests that kill, soak or load for minutes. QUIPU_LONG_SHARE (0–1, default 1) scales their rounds. */
export default mergeConfig(
  base,
  defineConfig({
    test: {
      testTimeout: 600_000,
      hookTimeout: 120_000,
      globalSetup: ['test/support/build.ts'],
      env: { QUIPU_TEST_KEYS: String(rounds(1_000_000)) },
      projects: [
        {
          extends: true,
          test: {
            name: 'long',
            include: ['test/long/**/*.test.ts', 'test/auth/key-format.test.ts'],
            exclude: [...KILL_TESTS, ...ALONE, ...(isQuick ? REPEATED : [])],
            // Two at once where no times are asserted: most of their time they wait.
            maxWorkers: isQuick ? 2 : 1,
            sequence: { groupOrder: 1 },
          },
        },
        {
          extends: true,
          test: {
            name: 'long-processes',
            include: KILL_TESTS,
            retry: PROCESS_RETRIES,
            maxWorkers: isQuick ? 2 : 1,
            sequence: { groupOrder: 1 },
          },
        },
        { extends: true, test: { name: 'long-alone', include: ALONE, maxWorkers: 1, sequence: { groupOrder: 2 } } },
      ],
    },
  }),
);
