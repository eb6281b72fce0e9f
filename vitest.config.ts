import { createRequire } from 'node:module';
import { defineConfig, mergeConfig } from 'vitest/config';
import { fastTempFolder } from './test/support/temp-folder.ts';

const require = createRequire(import.meta.url);

/** Test files that start or kill processes, start a Postgres of their own, or open a browser. */
export const PROCESS_TESTS = [
  'test/process/**/*.test.ts',
  'test/**/*killed.test.ts',
  'test/bench/command.test.ts',
  'test/bench/contenders.test.ts',
  'test/db/embedded*.test.ts',
  'test/db/migrations.test.ts',
  'test/server/sockets/shutdown.test.ts',
];

/** Tests that write files of the repository: only scripts of package.json run them, one each. */
const WRITERS = ['test/process/pictures.test.ts', 'test/process/upgrade-fixture.test.ts'];

/** What all suites share. */
export const base = defineConfig({
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: false } },
  // The runner would load graphql's .mjs build beside the .js one that type-graphql loads: two copies, two realms.
  resolve: { alias: [{ find: /^graphql$/, replacement: require.resolve('graphql/index.js') }] },
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: ['test/support/property-seed.ts', 'test/support/real-timers.ts'],
    // A hang fails within minutes; a test that takes twenty seconds on an idle machine may take a minute and a half beside other work.
    testTimeout: 180_000,
    hookTimeout: 180_000,
    teardownTimeout: 120_000, // databases that write to disk take their time to be dropped
    maxWorkers: 2,
    // `.ci/run` sets 1, since signals and real time limits race with a busy machine; the end of the run names each test that needed it.
    retry: Number(process.env.QUIPU_TEST_RETRIES ?? 0),
    reporters: ['default', './test/support/test-report.ts'],
    // A busy machine is no failure: the default of 1 s is too short for it.
    expect: { poll: { timeout: 30_000 } },
    env: { TMPDIR: fastTempFolder() },
    server: { deps: { inline: ['type-graphql', '@apollo/server', '@as-integrations/fastify', 'graphql-scalars'] } },
    coverage: {
      provider: 'v8',
      include: ['{src,sandbox}/**/*.ts'],
      exclude: [
        'src/main.ts',
        'src/serve.ts',
        'src/modules/tech/sources/detect-process.ts',
        'src/sources/domains/page-process.ts',
        'src/sources/registry/workbook-process.ts',
        'src/sources/reading-process/entry.ts',
        'src/sources/receita-federal/copy/read-thread.ts',
      ],
      reporter: ['text-summary', 'html', 'json-summary'],
      // The paths that decide a verdict, a bill or what a customer is told.
      thresholds: {
        'src/{cache,domain,loaders,scheduling}/**': { lines: 98 },
        'src/{auth,metering,audit}/**': { lines: 98 },
        'src/metering/ask.ts': { lines: 100 },
        'src/modules/*/{domain,loader,source}.ts': { lines: 98 },
        'src/modules/*/{loaders,sources}/*.ts': { lines: 98 },
        'src/modules/monitor/{domain,store,service}/**': { lines: 97 },
        'src/webhooks/**': { lines: 97 },
        'src/sources/receita-federal/*.ts': { lines: 98 },
        'src/{graphql,server}/**': { lines: 92 },
      },
    },
  },
});

export default mergeConfig(
  base,
  defineConfig({
    test: {
      projects: [
        {
          extends: true,
          test: {
            name: 'service',
            include: ['test/**/*.test.ts'],
            exclude: ['test/long/**', 'test/clients/**', 'node_modules/**', ...PROCESS_TESTS],
            // Files share the worker processes: the modules are loaded and compiled once per process instead of once per file.
            isolate: false,
            // Tests wait for deadlines and timers three quarters of their time: four workers keep two cores busy.
            maxWorkers: 4,
            sequence: { groupOrder: 2 },
          },
        },
        {
          extends: true,
          test: {
            name: 'processes',
            globalSetup: ['test/support/build.ts'],
            include: PROCESS_TESTS,
            exclude: ['test/long/**', 'node_modules/**', ...(process.env.QUIPU_WRITERS === '1' ? [] : WRITERS)],
            sequence: { groupOrder: 1 },
          },
        },
      ],
    },
  }),
);
