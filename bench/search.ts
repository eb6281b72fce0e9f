import pg from 'pg';
import { ordinaryName } from '../test/support/ordinary-names.ts';
import { randomOf } from '../test/support/random.ts';
import { type Bench, BenchFailure } from './harness/bench.ts';
import { built } from './harness/built.ts';
import { describeMachine } from './harness/machine.ts';
import { onStage } from './harness/stage.ts';
import { quantile, ratioOf, type Summary, summarise } from './harness/statistics.ts';
import { conditions, ratioLine, spread, table } from './harness/table.ts';
import { startPostgres } from './imports/postgres.ts';

const QUERIES = 200;
/** Interval of the queries that the baseline answers, because it takes seconds for some names. */
const BASELINE_STEP = 5;
const PAGE = 20;
const VERSION = '1';
const UNPINNED = { server: [], load: [], note: 'not pinned: Postgres and its client share the CPUs' };

/** Answers to all queries by one method in one round. */
interface Round {
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** Share of the queries whose company is on the first page, 0 to 1. */
  readonly found: number;
}

interface Contender {
  /** Returns the names of the first page. */
  find(text: string): Promise<readonly string[]>;
  /** Interval of the queries that it answers. */
  readonly step: number;
}

/** A part of a company's name as a person types it: without its legal form, some with an error. */
interface Query {
  readonly text: string;
  readonly name: string;
}

export const search: Bench = {
  name: 'search',
  description: 'search of companies by name: latency and hits, against a trigram index of whole names',
  run: ({ rounds, rows }, progress) =>
    onStage(UNPINNED, async ({ dir }) => {
      const machine = describeMachine(UNPINNED);
      const postgres = await startPostgres(dir);
      try {
        return await postgres.afresh(async (url) => {
          progress(`writing ${rows.toLocaleString('en-US')} companies with made-up names`);
          const names = madeUpNames(rows);
          const buildSeconds = await load(url, names);
          progress(`index of names built in ${buildSeconds.toFixed(1)} s`);
          const queries = queriesOf(names);
          const { contenders, close } = await openContenders(url);
          const runs = Object.fromEntries(Object.keys(contenders).map((name) => [name, [] as Round[]]));
          for (let round = 1; round <= rounds; round += 1) {
            for (const [name, { find, step }] of Object.entries(contenders)) {
              const run = await measured(
                find,
                queries.filter((_, i) => i % step === 0),
              );
              runs[name]?.push(run);
              progress(`round ${round}/${rounds} · ${name} · p50 ${run.p50Ms.toFixed(1)} ms · p95 ${run.p95Ms.toFixed(1)} ms`);
            }
          }
          await close();
          const rowsOf = Object.entries(runs).map(([name, all]) => ({
            name,
            p50Ms: summarise(all.map(({ p50Ms }) => p50Ms)),
            p95Ms: summarise(all.map(({ p95Ms }) => p95Ms)),
            found: summarise(all.map(({ found }) => found)),
          }));
          const [ours, theirs] = Object.values(runs) as [Round[], Round[]];
          const ratio = ratioOf(
            theirs.map(({ p95Ms }) => p95Ms),
            ours.map(({ p95Ms }) => p95Ms),
          );
          const report = { bench: 'search', machine, options: { rounds, rows }, buildSeconds, measured: rowsOf, ratio };
          return { report, text: render(report) };
        });
      } finally {
        await postgres.stop();
      }
    }),
};

function madeUpNames(count: number): readonly string[] {
  const random = randomOf(20_261_123);
  return Array.from({ length: count }, () => ordinaryName(random).name);
}

/**
 * Loads the companies as version 1 of the registry, and builds the index of the service and that of the baseline. Returns the seconds of
 * the first.
 */
async function load(url: string, names: readonly string[]): Promise<number> {
  const { buildNameIndex } = await built<typeof import('../src/sources/sii/store/names.ts')>('src/sources/sii/store/names');
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(`
      INSERT INTO registry_versions (id, name, origin, loaded_at, rows_read, rows_skipped, entries, named, checksum, shape)
        OVERRIDING SYSTEM VALUE VALUES (${VERSION}, 'sii', 'bench', now(), 1, 0, 1, 1, '', 1);
      INSERT INTO registries (name, origin, version_id, checked_at, attempted_at) VALUES ('sii', 'bench', ${VERSION}, now(), now());
      CREATE TABLE sii_companies_v${VERSION} PARTITION OF sii_companies FOR VALUES IN (${VERSION})`);
    for (let at = 0; at < names.length; at += 50_000) {
      await client.query(
        `INSERT INTO sii_companies (version_id, rut, name)
         SELECT ${VERSION}, 50000000 + $1 + n, name FROM unnest($2::text[]) WITH ORDINALITY AS made (name, n)`,
        [at, names.slice(at, at + 50_000)],
      );
    }
    const start = performance.now();
    await buildNameIndex(client, 'bench', VERSION, new AbortController().signal);
    const seconds = (performance.now() - start) / 1_000;
    await client.query(`CREATE INDEX baseline ON sii_names_v${VERSION} USING gin (words gin_trgm_ops)`);
    return seconds;
  } finally {
    await client.end();
  }
}

async function openContenders(url: string): Promise<{ readonly contenders: Readonly<Record<string, Contender>>; close(): Promise<void> }> {
  const { createDb } = await built<typeof import('../src/db/knex.ts')>('src/db/knex');
  const { searchNames } = await built<typeof import('../src/sources/sii/store/names.ts')>('src/sources/sii/store/names');
  const { searchWords } = await built<typeof import('../src/domain/text.ts')>('src/domain/text');
  const db = createDb(url, { statementTimeoutMs: 60_000 }); // the baseline takes seconds for some names
  return {
    contenders: {
      searchCompanies: {
        step: 1,
        async find(text) {
          const page = { words: searchWords(text), limit: PAGE, after: null };
          const { hits } = await searchNames(db, { name: 'sii', origin: 'bench' }, page);
          return hits.map(({ name }) => name);
        },
      },
      'pg_trgm of whole names': {
        step: BASELINE_STEP,
        async find(text) {
          const { rows } = await db.raw(
            `SELECT name FROM sii_names_v${VERSION} WHERE words % :text ORDER BY similarity(words, :text) DESC, rut LIMIT ${PAGE}`,
            { text: searchWords(text).join(' ') },
          );
          return rows.map(({ name }: { name: string }) => name);
        },
      },
    },
    close: () => db.destroy(),
  };
}

/**
 * Creates queries: every third text is the name without its last word, every third has a missing letter, the others are two words of the
 * name.
 */
function queriesOf(names: readonly string[]): readonly Query[] {
  const random = randomOf(7);
  const some = Array.from({ length: QUERIES }, () => names[Math.floor(random() * names.length)] ?? '');
  return some.map((name, i) => {
    const words = name.split(' ').slice(0, -1);
    const whole = words.join(' ');
    const at = 1 + Math.floor(random() * Math.max(1, whole.length - 2));
    return { name, text: [whole, whole.slice(0, at) + whole.slice(at + 1), words.slice(-2).join(' ')][i % 3] || whole };
  });
}

async function measured(find: Contender['find'], queries: readonly Query[]): Promise<Round> {
  const times: number[] = [];
  let found = 0;
  for (const { text, name } of queries) {
    const start = performance.now();
    const names = await find(text);
    times.push(performance.now() - start);
    if (names.includes(name)) found += 1;
  }
  if (found === 0) throw new BenchFailure('no query has found its company');
  return { p50Ms: quantile(times, 0.5), p95Ms: quantile(times, 0.95), found: found / queries.length };
}

interface SearchReport {
  readonly machine: ReturnType<typeof describeMachine>;
  readonly options: { readonly rounds: number; readonly rows: number };
  readonly buildSeconds: number;
  readonly measured: readonly { readonly name: string; readonly p50Ms: Summary; readonly p95Ms: Summary; readonly found: Summary }[];
  readonly ratio: Summary;
}

function render({ machine, options, buildSeconds, measured, ratio }: SearchReport): string {
  return [
    ...conditions(
      machine,
      `${options.rows.toLocaleString('en-US')} companies, ${QUERIES} queries a round, of which the baseline answers ${QUERIES / BASELINE_STEP}; rounds: ${options.rounds}, interleaved; the index was built in ${buildSeconds.toFixed(1)} s.`,
    ),
    ...table(
      ['', 'p50 ms', 'p95 ms', 'company on page 1'],
      measured.map(({ name, p50Ms, p95Ms, found }) => [name, spread(p50Ms, 1), spread(p95Ms, 1), spread(found, 3)]),
    ),
    '',
    ratioLine(1)({ of: 'p95 of the baseline', to: 'p95 of searchCompanies', ratio }),
    '',
  ].join('\n');
}
