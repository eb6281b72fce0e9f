import { defineConfig, mergeConfig } from 'vitest/config';
import { isQuick, rounds } from './test/support/rounds.ts';
import { base } from './vitest.config.ts';

const files = (...names: string[]): string[] => names.map((name) => `test/long/${name}.test.ts`);

const KILL_TESTS = files('**/*killed');
/** Left out below a share of 0.1: `npm test` and `npm run test:processes` run the same functions with fewer rounds. */
const REPEATED = files(
  ...['answer-age', 'compiled-executor', 'damaged-answers', 'feed-writers', 'limit-shared', 'monitor-histories', 'overload', 'resume'],
  ...['shared-answers', 'slow-clients', 'socket-processes', 'subsets', 'ticket-shared'],
);
/** Left out too: they assert little without all their rounds. What stops there, the soak stops too. */
const MEASURING = files('rolling-restart', 'stop-under-load', 'stored-bytes', 'web-costs');
/** Names of further tests that a run leaves out, divided by commas: `soak,load/leaks`. */
const WITHOUT = files(...(process.env.QUIPU_LONG_WITHOUT ?? '').split(',').filter(Boolean));
const LEFT_OUT = [...(isQuick ? [...REPEATED, ...MEASURING] : []), ...WITHOUT];
/** Tests that assert times whatever their rounds, or load the machine: each runs alone. */
const ALONE = [
  ...files('adversarial-operations', 'database-away', 'hostile-documents', 'isolation', 'keys', 'limit-shared', 'overload'),
  ...files(
    'slow-clients',
    'soak',
    'sockets',
    'stored-bytes',
    'upstream',
    'usage-shared',
    'web-costs',
    'webhook-endpoints',
    'load/leaks',
    'load/throughput',
  ),
];

/** Tests that kill, soak or load for minutes. QUIPU_LONG_SHARE (0–1, default 1) scales their rounds, QUIPU_LONG_WITHOUT names some to leave out. */
export default mergeConfig(
  base,
  defineConfig({
    test: {
      testTimeout: 600_000,
      globalSetup: ['test/support/build.ts'],
      env: { QUIPU_TEST_KEYS: String(rounds(1_000_000)) },
      projects: [
        {
          extends: true,
          test: {
            name: 'long',
            include: ['test/long/**/*.test.ts', 'test/auth/key-format.test.ts'],
            exclude: [...KILL_TESTS, ...ALONE, ...LEFT_OUT],
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
            exclude: LEFT_OUT,
            maxWorkers: isQuick ? 2 : 1,
            sequence: { groupOrder: 1 },
          },
        },
        { extends: true, test: { name: 'long-alone', include: ALONE, exclude: LEFT_OUT, maxWorkers: 1, sequence: { groupOrder: 2 } } },
      ],
    },
  }),
);
