import { constants, existsSync } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import path from 'node:path';
import { Command } from 'commander';
import type { Knex } from 'knex';
import { redisTime } from '../cache/redis.ts';
import { type Config, ConfigError, resolveAddress, resolveSetting } from '../config.ts';
import { createDb } from '../db/knex.ts';
import { pendingMigrations } from '../db/migrations.ts';
import { readReplicaState } from '../db/read-replica.ts';
import { readServer } from '../db/server.ts';
import { SECOND_MS } from '../domain/time.ts';
import type { Sources } from '../sources/build.ts';
import { failureCode, jsonOrNull, probe, serverUrl, urlOption } from './client.ts';
import { credentialFindings } from './credentials.ts';
import { type Finding, off, ok, problem, warning } from './finding.ts';
import { issuerFindings } from './issuer-finding.ts';
import { listFindings } from './list-findings.ts';
import { liveFindings, type OtherClock, sourceAddresses } from './live-findings.ts';
import { misfitFindings } from './misfit.ts';
import { EXIT, type Io, JSON_HELP, tableText } from './run.ts';
import { usageFolder } from './usage-folder.ts';

/** Dependencies of `doctor`, which changes nothing. */
export interface DoctorParts {
  /** @throws ConfigError */
  readonly config: () => Config;
  /** Connects without a migration. @throws Error with the reason for a failure */
  readonly openDatabase: (config: Config) => Promise<{ readonly db: Knex; close(): Promise<void> }>;
  readonly sandboxUrl: (config: Config) => Promise<string | null>;
  readonly sourcesOf: (config: Config, db: Knex) => Promise<Sources>;
}

const PROBE_MS = 8 * SECOND_MS;
const GIB = 1024 ** 3;
/** Difference of clocks above which shown times are wrong. Above the next one, certificates and dates of validity are judged wrongly. */
const CLOCK_WARNING_MS = 5 * SECOND_MS;
const CLOCK_PROBLEM_MS = 60 * SECOND_MS;

/**
 * Creates `quipu doctor [--url URL] [--live] [--json]`, which prints the problems of an installation with advice. The exit code is 1 for a
 * problem.
 */
export const doctorCommand = (parts: DoctorParts, io: Io): Command =>
  new Command('doctor')
    .description('Check settings, data folder, disk, database, Redis, clock, server, live sources and lists: what is wrong, and what to do')
    .addOption(urlOption())
    .option(
      '--live',
      'also send a small request to every address of the sources, and list every credential of live mode with where to ask for it',
    )
    .option('--json', JSON_HELP)
    .configureOutput({ writeOut: io.out, writeErr: io.err })
    .addHelpText('after', '\nExit codes: 0 no problem (warnings may remain), 1 at least one problem\n')
    .action(async ({ url, live = false, json }: { url?: string; live?: boolean; json?: boolean }) => {
      const findings = await runChecks(parts, url || undefined, live);
      const problems = findings.filter(({ state }) => state === 'problem').length;
      io.out(json ? `${JSON.stringify({ ok: problems === 0, checks: findings })}\n` : report(findings, problems));
      if (problems > 0) process.exitCode = EXIT.failed;
    });

function report(findings: readonly Finding[], problems: number): string {
  const rows = findings.map(({ state, check, found }) => [state === 'problem' ? 'PROBLEM' : state, check, found]);
  const advice = findings.flatMap(({ check, advice }) => (advice ? [`  ${check}: ${advice}\n`] : []));
  const end = problems === 0 ? 'No problem was found.\n' : `${problems} ${problems === 1 ? 'problem' : 'problems'}.\n`;
  return `${tableText(['state', 'check', 'found'], rows)}\n${advice.length > 0 ? `What to do:\n${advice.join('')}\n` : ''}${end}`;
}

async function runChecks(parts: DoctorParts, url: string | undefined, isLive: boolean): Promise<readonly Finding[]> {
  let config: Config;
  try {
    config = parts.config();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const wrong = error.message.split('\n').filter((line) => line.startsWith('  '));
    return wrong.map((line) => problem('settings', line.trim(), 'correct this variable; all settings: npm start -- --help'));
  }
  const [folder, database, replica, redis, server, issuer, live] = await Promise.all([
    Promise.all([dataFolder(config), usageFolder(config.usageDir)]).then((found) => found.flat()),
    databaseAndLists(parts, config),
    replicaFinding(config),
    redisFindings(config),
    serverFinding(url, config),
    issuerFindings(config),
    liveSources(config, await parts.sandboxUrl(config), isLive),
  ]);
  const clocks = [...database.clocks, ...redis.clocks, ...live.clocks];
  return [
    ok('settings', `valid; QUIPU_SOURCES=${config.sources}`),
    ...folder,
    ...database.findings,
    ...replica,
    ...redis.findings,
    clockFinding(clocks),
    server,
    ...issuer,
    ...live.findings,
    ...credentialFindings(config, isLive),
    ...database.lists,
  ];
}

async function dataFolder({ dataDir, databaseUrl }: Config): Promise<readonly Finding[]> {
  let existing = dataDir;
  while (!existsSync(existing)) existing = path.dirname(existing);
  const isWritable = await access(existing, constants.W_OK).then(
    () => true,
    () => false,
  );
  const { bavail, bsize } = await statfs(existing);
  const free = `${((bavail * bsize) / GIB).toFixed(1)} GiB free`;
  const needs = databaseUrl ? 'downloads' : 'the database and downloads';
  const advice = `free space, or set QUIPU_DATA_DIR to a larger disk: it holds ${needs}`;
  return [
    isWritable
      ? ok('data folder', existing === dataDir ? dataDir : `${dataDir}, which the first start creates`)
      : problem('data folder', `${existing} is not writable`, 'let the user of the service write there, or set QUIPU_DATA_DIR'),
    bavail * bsize < GIB ? problem('disk', free, advice) : bavail * bsize < 5 * GIB ? warning('disk', free, advice) : ok('disk', free),
  ];
}

interface Probed {
  readonly findings: readonly Finding[];
  readonly clocks: readonly OtherClock[];
}

async function databaseAndLists(parts: DoctorParts, config: Config): Promise<Probed & { readonly lists: readonly Finding[] }> {
  const { databaseUrl, dataDir } = config;
  if (!databaseUrl && !existsSync(path.join(dataDir, 'postgres'))) {
    return { findings: [off('database', 'the first start creates an embedded Postgres in QUIPU_DATA_DIR')], clocks: [], lists: [] };
  }
  try {
    const { db, close } = await parts.openDatabase(config);
    try {
      const startedAt = Date.now();
      const server = await readServer(db);
      const middle = (startedAt + Date.now()) / 2;
      const pending = await pendingMigrations(db);
      return {
        findings: [
          versionFinding(server.version),
          migrationFinding(pending.length),
          ...(pending.length > 0 ? [] : await misfitFindings(db, config)),
        ],
        clocks: databaseUrl ? [{ name: 'Postgres', aheadMs: server.now - middle }] : [],
        lists:
          pending.length > 0 ? [] : await listFindings(await parts.sourcesOf(config, db), resolveSetting(config, 'QUIPU_RECEITA_MODE')),
      };
    } finally {
      await close();
    }
  } catch (error) {
    const advice = databaseUrl
      ? 'check that Postgres runs, and DATABASE_URL: host, port, user, password, name'
      : 'see postgres.log in QUIPU_DATA_DIR';
    return { findings: [problem('database', firstLine(error), advice)], clocks: [], lists: [] };
  }
}

const firstLine = (error: unknown): string => (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';

const versionFinding = (version: string): Finding =>
  version.startsWith('18.')
    ? ok('database', `Postgres ${version}`)
    : warning('database', `Postgres ${version}`, 'the service is tested with Postgres 18 only');

const migrationFinding = (pending: number): Finding =>
  pending === 0
    ? ok('migrations', 'all applied')
    : warning('migrations', `${pending} not applied`, 'the next start applies them, or now: quipu migrate');

async function replicaFinding({ databaseReadUrl }: Config): Promise<readonly Finding[]> {
  if (!databaseReadUrl) return [];
  const replica = createDb(databaseReadUrl, { poolMax: 1 });
  try {
    const { version, isReplaying, behindSeconds } = await readReplicaState(replica);
    if (isReplaying) return [ok('read replica', `Postgres ${version}, ${Math.round(behindSeconds)} s behind`)];
    return [problem('read replica', `Postgres ${version} replays nothing`, 'it is no replica: correct or unset DATABASE_READ_URL')];
  } catch (error) {
    return [problem('read replica', firstLine(error), 'check that it runs, and DATABASE_READ_URL; until then the primary answers')];
  } finally {
    await replica.destroy();
  }
}

async function redisFindings({ redisUrl }: Config): Promise<Probed> {
  if (!redisUrl)
    return { findings: [off('redis', 'REDIS_URL is not set: each process limits rates and caches answers alone')], clocks: [] };
  const startedAt = Date.now();
  try {
    const time = await redisTime(redisUrl, PROBE_MS);
    const ms = Date.now() - startedAt;
    return { findings: [ok('redis', `answers in ${ms} ms`)], clocks: [{ name: 'Redis', aheadMs: time - (startedAt + ms / 2) }] };
  } catch (error) {
    const code = failureCode(error);
    const found = `does not answer (${code === 'connection' ? firstLine(error) : code})`;
    return {
      findings: [
        problem('redis', found, 'check that Redis runs, and REDIS_URL; until then each process limits rates and caches answers alone'),
      ],
      clocks: [],
    };
  }
}

/** Compares the clock of this machine with the one that is nearest to it, because a single other clock may be the wrong one. */
export function clockFinding(others: readonly OtherClock[]): Finding {
  const [nearest] = [...others].sort((one, other) => Math.abs(one.aheadMs) - Math.abs(other.aheadMs));
  if (!nearest) return off('clock', 'no other machine to compare it with');
  const seconds = Math.abs(nearest.aheadMs) / SECOND_MS;
  const found = `${seconds.toFixed(1)} s ${nearest.aheadMs > 0 ? 'behind' : 'ahead of'} ${nearest.name}`;
  const advice = 'synchronise the clock of this machine (NTP)';
  if (seconds * SECOND_MS > CLOCK_PROBLEM_MS) return problem('clock', found, advice);
  // Dates in HTTP headers have whole seconds, and the transfer takes time.
  return seconds * SECOND_MS > CLOCK_WARNING_MS
    ? warning('clock', found, advice)
    : ok('clock', `within ${Math.ceil(seconds)} s of ${nearest.name}`);
}

async function serverFinding(given: string | undefined, config: Config): Promise<Finding> {
  let url = '';
  try {
    url = serverUrl(given, () => config);
    const { status, ms, text } = await probe(`${url}/readyz`, PROBE_MS);
    const { checks = {} } = Object(jsonOrNull(text)) as { readonly checks?: Readonly<Record<string, boolean>> };
    const failed = Object.keys(checks)
      .filter((name) => checks[name] === false)
      .join(', ');
    const advice = 'see docs/operations.md#health, and the log of the server';
    if (status !== 200) return problem('server', `${url} is not ready (${status}${failed && `: ${failed}`})`, advice);
    if (failed) return warning('server', `${url} answers from memory only (${failed})`, advice);
    return ok('server', `${url} is ready, answered in ${ms} ms`);
  } catch (error) {
    if (error instanceof ConfigError) return given ? problem('server', error.message, 'correct --url') : off('server', error.message);
    const found = `${url} does not answer (${failureCode(error)})`;
    const advice = 'start the server (npm start), or name its address by --url or QUIPU_URL';
    return given ? problem('server', found, advice) : warning('server', found, advice);
  }
}

/** Base URLs of live sources, by source and setting. */
const bases = () => sourceAddresses().filter(({ spec }) => spec.base);

async function liveSources(config: Config, sandboxUrl: string | null, isLive: boolean): Promise<Probed> {
  if (config.sources === 'sandbox' && !sandboxUrl)
    return { findings: [off('live sources', 'the sandbox runs inside the server, and none runs')], clocks: [] };
  if (isLive) return liveFindings(config, sandboxUrl, { now: Date.now });
  const clocks: OtherClock[] = [];
  const findings = await Promise.all(
    bases().map(async ({ name, setting }): Promise<Finding> => {
      const check = `source ${name} (${setting})`;
      const { url, origin } = resolveAddress(config, setting, sandboxUrl);
      if (url === '') return off(check, 'its address is switched off');
      const where = `the ${origin} address`;
      try {
        const { status, ms, clockAheadMs } = await probe(url, PROBE_MS);
        if (clockAheadMs !== null && origin === 'live') clocks.push({ name, aheadMs: clockAheadMs });
        if (status >= 500 || status === 429)
          return problem(check, `${where} answers ${status}`, `the publisher fails or refuses: try again later, or set ${setting}`);
        return ok(check, `${where} answers in ${ms} ms`);
      } catch (error) {
        return problem(
          check,
          `${where} does not answer (${failureCode(error)})`,
          `${REASONS[failureCode(error)] ?? NETWORK}, or set ${setting}`,
        );
      }
    }),
  );
  return { findings, clocks };
}

const NETWORK = 'check the network, the firewall and the certificates of this machine';
const DNS = 'its name does not resolve: check the name servers of this machine';
const REASONS: Readonly<Record<string, string>> = { ENOTFOUND: DNS, EAI_AGAIN: DNS };
