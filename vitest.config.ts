import { createRequire } from 'node:module';
import { defineConfig } from 'vitest/config';

const require = createRequire(import.meta.url);

export default defineConfig({
  oxc: { decorator: { legacy: true, emitDecoratorMetadata: false } },
  // The runner would load graphql's .mjs build beside the .js one that type-graphql loads: two copies, two realms.
  resolve: { alias: [{ find: /^graphql$/, replacement: require.resolve('graphql/index.js') }] },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['test/long/**', 'node_modules/**'],
    globalSetup: ['test/support/global-setup.ts'],
    setupFiles: [],
    testTimeout: 20_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    server: { deps: { inline: ['type-graphql', '@apollo/server', '@as-integrations/fastify', 'graphql-scalars'] } },
    coverage: {
      provider: 'v8',
      include: ['src/**/*.ts'],
      exclude: ['src/main.ts', 'src/modules/tech/sources/detect-thread.ts'],
      reporter: ['text-summary', 'html', 'json-summary'],
      // The paths that decide a verdict, a bill or what a customer is told.
      thresholds: {
        'src/{cache,domain,loaders}/**': { lines: 98 },
        'src/{auth,metering,audit}/**': { lines: 98 },
        'src/metering/ask.ts': { lines: 100 },
        'src/modules/*/{domain,loader,source}.ts': { lines: 98 },
        'src/modules/*/{loaders,sources}/*.ts': { lines: 98 },
        'src/modules/monitor/{domain,store,service}/**': { lines: 97 },
        'src/sources/receita-federal/*.ts': { lines: 98 },
        'src/{graphql,server}/**': { lines: 92 },
      },
    },
  },
});
