import { built } from '../harness/built.ts';

/**
 * Separate process that imports one month with the output of `npm run build`, and prints the start of each step and the memory.
 * Arguments: database URL, folder with the month.
 */
const { createDb } = await built<typeof import('../../src/db/knex.ts')>('src/db/knex');
const { importFolder } = await built<typeof import('../../src/sources/receita-federal/copy/import.ts')>(
  'src/sources/receita-federal/copy/import',
);

const [url = '', folder = ''] = process.argv.slice(2);
const db = createDb(url);
const startedAt = performance.now();
const seconds = (): number => (performance.now() - startedAt) / 1_000;
/** Step → seconds until its start. */
const steps: Record<string, number> = {};
const result = await importFolder(folder, {
  db,
  origin: 'bench',
  secret: 'a secret of this benchmark',
  now: Date.now,
  diskFolder: null,
  historyMonths: 24,
  log: console,
  onProgress({ step }) {
    steps[step] ??= seconds();
  },
});
const total = seconds();
const { user, system } = process.cpuUsage();
await db.destroy();
if (result.outcome !== 'loaded' || !result.facts) throw new Error(`not loaded: ${JSON.stringify(result)}`);
process.stdout.write(
  JSON.stringify({
    seconds: total,
    steps,
    peakRssBytes: process.resourceUsage().maxRSS * 1_024,
    facts: result.facts,
    cpuSeconds: (user + system) / 1e6,
  }),
);
