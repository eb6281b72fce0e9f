import { spawn } from 'node:child_process';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { BenchFailure } from '../harness/bench.ts';

export type Country = 'BR' | 'CL';

/** Maximum number of companies of one monitor. */
const EACH = 500;
const POLL_MS = 50;
const LONGEST_MS = 20 * 60_000;

/** Inserts monitors and watched companies into the tables. No check is due. No company changes, so no notification is sent. */
export async function watchAll(
  client: pg.Client,
  { keyId, country, taxIds }: { keyId: string; country: Country; taxIds: readonly string[] },
) {
  const { rows } = await client.query(
    `INSERT INTO monitors (id, key_id, country, webhook_url, secret, retry_policy, list_news, created_at)
     SELECT gen_random_uuid(), $1, $2, 'http://127.0.0.1:9/', '', 'none', false, now() FROM generate_series(1, $3) RETURNING id`,
    [keyId, country, Math.ceil(taxIds.length / EACH)],
  );
  await client.query(
    `INSERT INTO monitor_companies (monitor_id, country, tax_id, identifier, ordinal)
     SELECT ($1::uuid[])[1 + (n - 1) / $4], $2, tax_id, tax_id, (n - 1) % $4 FROM unnest($3::text[]) WITH ORDINALITY AS named (tax_id, n)`,
    [rows.map(({ id }) => id), country, taxIds, EACH],
  );
  await client.query(
    `INSERT INTO watched_companies (country, tax_id, legal_person, anchor_at, due_at)
     SELECT $1, tax_id, $1 || ':' || CASE $1 WHEN 'BR' THEN left(tax_id, 8) ELSE tax_id END, now(), now() + interval '1 day'
     FROM unnest($2::text[]) AS named (tax_id)`,
    [country, taxIds],
  );
  await client.query('ANALYZE');
}

/** Makes the checks of all watched companies of a country due and waits until they are done. Returns seconds. @throws BenchFailure when a check failed */
export async function sweepOnce(client: pg.Client, country: Country): Promise<number> {
  await client.query('UPDATE watched_companies SET due_at = now(), failures = 0 WHERE country = $1', [country]);
  await client.query('CHECKPOINT');
  const startedAt = performance.now();
  await client.query("SELECT graphile_worker.add_job('monitor.tick', '{}'::json, job_key => 'monitor.tick')");
  for (;;) {
    const { rows } = await client.query('SELECT EXISTS (SELECT FROM watched_companies WHERE due_at <= now() AND country = $1) AS waiting', [
      country,
    ]);
    const ms = performance.now() - startedAt;
    if (!rows[0].waiting) {
      await requireSound(client, country);
      return ms / 1_000;
    }
    if (ms > LONGEST_MS) throw new BenchFailure(`a sweep of ${country} did not end within ${LONGEST_MS / 60_000} minutes`);
    await delay(POLL_MS);
  }
}

async function requireSound(client: pg.Client, country: Country): Promise<void> {
  const { rows } = await client.query(
    'SELECT count(*)::int AS count FROM watched_companies WHERE country = $1 AND (failures > 0 OR snapshot IS NULL OR checked_at IS NULL)',
    [country],
  );
  if (rows[0].count > 0) throw new BenchFailure(`${rows[0].count} checks of ${country} failed`);
}

/** Reads the same companies with the baseline, in a separate process started with a command prefix. Returns seconds. @throws BenchFailure when one was not found */
export async function readPlainly(
  prefix: readonly string[],
  how: 'sql' | 'http',
  url: string,
  file: string,
  companies: number,
): Promise<number> {
  const [command = '', ...args] = [...prefix, process.execPath, path.join(import.meta.dirname, 'plain-reads.ts'), how, url, file];
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, NODE_ENV: 'production' } });
  const exit = new Promise<number | null>((resolve, reject) => child.once('error', reject).once('exit', resolve));
  const [code, out] = await Promise.all([exit, text(child.stdout)]);
  if (code !== 0) throw new BenchFailure(`the plain reads ended with ${code}`);
  const { seconds, found } = JSON.parse(out) as { seconds: number; found: number };
  if (found !== companies) throw new BenchFailure(`the plain reads found ${found} of ${companies} companies`);
  return seconds;
}
