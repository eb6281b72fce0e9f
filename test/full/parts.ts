import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

/** A share of `npm run test:full` that takes 20 minutes at most on two cores; `long-leaks` and `long-soak` take 31. */
export interface Part {
  readonly name: string;
  readonly about: string;
  /** `fast`: vitest.config.ts. `long`: vitest.long.config.ts. `dates`: test/dates.sh. */
  readonly suite: 'fast' | 'long' | 'dates';
  /** Beginnings of paths: a test file is in the part with the longest beginning. Of `dates`: names of dates. */
  readonly paths: readonly string[];
  /** True when its tests assert times, rates or memory. Other work on the machine makes them fail. */
  readonly timed: boolean;
}

const ROOT = path.resolve(import.meta.dirname, '../..');
/** Tests that other commands run. Those that write files of the repository are named in `WRITERS` of vitest.config.ts, too. */
const OTHER_COMMANDS = ['test/clients/**', 'test/process/pictures.test.ts', 'test/process/upgrade-fixture.test.ts'];

const part = (name: string, suite: Part['suite'], about: string, paths: readonly string[]): Part => ({
  name,
  suite,
  about,
  paths,
  timed: false,
});
const timed = (...args: Parameters<typeof part>): Part => ({ ...part(...args), timed: true });
const long = (...names: string[]): string[] => names.map((name) => `test/long/${name}.test.ts`);

export const PARTS: readonly Part[] = [
  part('core', 'fast', 'domain, names, scheduling, cache, loaders, jobs, database, configuration, documents', ['test/']),
  timed('accounts', 'fast', 'API keys, usage, rate limits', ['test/auth/', 'test/metering/']),
  timed('sources', 'fast', 'upstream sources, outbound requests, lists', ['test/sources/']),
  part('modules', 'fast', 'all modules but tenders and monitor, receipts', ['test/modules/', 'test/evidence/']),
  timed('tenders', 'fast', 'the module tenders', ['test/modules/tenders/']),
  timed('monitor', 'fast', 'the module monitor without its webhooks', ['test/modules/monitor/']),
  timed('webhooks', 'fast', 'webhooks of monitors and other publishers', ['test/modules/monitor/webhooks/', 'test/webhooks/']),
  timed('server', 'fast', 'the HTTP server and the GraphQL limits', ['test/server/']),
  timed('sockets', 'fast', 'GraphQL subscriptions', ['test/server/sockets/']),
  timed('service', 'fast', 'the whole service, in one process', ['test/service/']),
  timed('processes', 'fast', 'start, stop and several processes', ['test/process/']),
  timed('long-webhooks-killed', 'long', 'killed senders of webhooks', long('webhooks-killed')),
  timed('long-monitor-killed', 'long', 'killed processes that monitor', long('monitor-killed')),
  timed('long-takeover', 'long', 'processes that are killed while they check companies', long('takeover')),
  timed('long-suspended', 'long', 'processes that are suspended while they check companies', long('suspended')),
  timed('long-stop', 'long', 'processes that stop under requests and sockets', long('stop-under-load')),
  timed(
    'long-rolling-restart',
    'long',
    'processes that are replaced one after another under requests and sockets',
    long('rolling-restart'),
  ),
  timed('long-soak', 'long', 'a deployment under mixed load whose parts fail in turn', long('soak')),
  timed('long-usage-killed', 'long', 'killed processes that record usage', long('usage-killed')),
  timed('long-postgres-killed', 'long', 'a killed Postgres under requests, receipts, monitors and deliveries', long('postgres-killed')),
  timed('long-screening-killed', 'long', 'killed processes that screen a portfolio', long('screening-killed')),
  part(
    'long-import-killed',
    'long',
    'killed imports of the Brazilian registry, and killed checks after one',
    long('import-killed', 'extracts-killed'),
  ),
  timed('long-monitor', 'long', 'histories, outages', long('monitor-histories')),
  part('long-events', 'long', 'readers of events, age of answers', long('feed-writers', 'resume', 'answer-age')),
  timed('long-webhook-endpoints', 'long', 'endpoints beside hanging ones', long('webhook-endpoints')),
  part('long-damage', 'long', 'damaged documents of all sources', long('damaged-answers', 'damaged-lists')),
  timed(
    'long-sources',
    'long',
    'failing sources and database',
    long('upstream', 'source-faults', 'isolation', 'database-away', 'database-bridged'),
  ),
  timed(
    'long-answers',
    'long',
    'answers to many requests, also during switches',
    long('subsets', 'requests', 'personal-data', 'registry-switches'),
  ),
  timed('long-fuzz', 'long', 'malformed requests and aborted ones', long('fuzz', 'hang-ups')),
  timed('long-operations', 'long', 'the most expensive GraphQL operations', long('adversarial-operations', 'hostile-documents')),
  timed('long-keys', 'long', 'keys, limits and usage on several processes', [
    ...long('keys', 'limit-shared', 'ticket-shared', 'usage-shared'),
    'test/auth/key-format.test.ts',
  ]),
  timed('long-sockets', 'long', 'slow, dead and many sockets', long('sockets', 'slow-sockets', 'socket-processes')),
  timed('long-load', 'long', 'rates, times and sockets', long('load/throughput', 'load/cold-checks', 'load/fan-out')),
  timed('long-leaks', 'long', 'memory, files and connections under mixed load', long('load/leaks')),
  timed('long-overload', 'long', 'overload, slow clients and all other long tests', ['test/long/']),
  part('dates-days', 'dates', 'the fast tests at a later day', ['next-day', 'in-97-days']),
  part('dates-years', 'dates', 'the fast tests at a leap day and at New Year', ['leap-day', 'new-year-utc', 'new-year-santiago']),
  part('dates-clocks', 'dates', 'the fast tests at a change of the clocks', ['santiago-clocks-back', 'santiago-clocks-on']),
];

/** Files of a part, or the names of its dates. */
export const filesOf = ({ name, suite, paths }: Part): readonly string[] =>
  suite === 'dates' ? paths : TEST_FILES.filter((file) => partOf(file)?.name === name);

/** Test files of a part that test a promise; none of dates. */
export const promiseFilesOf = (part: Part): readonly string[] =>
  part.suite === 'dates' ? [] : filesOf(part).filter((file) => promisesIn(file).size > 0);

/** All test files that `npm run test:full` runs, relative to the root. */
export const TEST_FILES: readonly string[] = globSync('test/**/*.test.ts', {
  cwd: ROOT,
  exclude: ['**/node_modules/**', ...OTHER_COMMANDS],
}).sort();

/** Test files that run at shifted dates, too. */
export const FAST_FILES: readonly string[] = PARTS.filter(({ suite }) => suite === 'fast').flatMap(filesOf);

function partOf(file: string): Part | undefined {
  const lengthIn = ({ suite, paths }: Part): number =>
    suite === 'dates' ? 0 : Math.max(0, ...paths.filter((start) => file.startsWith(start)).map(({ length }) => length));
  return PARTS.toSorted((a, b) => lengthIn(b) - lengthIn(a))[0];
}

/** Ids of the promises at the start of test names in a file. */
export function promisesIn(file: string): ReadonlySet<string> {
  const starts = readFileSync(path.join(ROOT, file), 'utf8').matchAll(/['"`]((?:[A-Z]{2}-\d{2}[ :]+)+)/g);
  return new Set([...starts].flatMap(([, ids = '']) => ids.match(/[A-Z]{2}-\d{2}/g) ?? []));
}
