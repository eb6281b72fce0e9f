import { readFileSync } from 'node:fs';
import pg from 'pg';
import { Agent, request } from 'undici';

/**
 * Baseline of a sweep. It reads the same companies in the same batches, one batch after another, without claims, comparisons and writes.
 * Arguments: `sql` or `http`, a database or base URL, a file with one tax id per line. Prints seconds and companies found.
 */
const [how, url = '', file = ''] = process.argv.slice(2);
const taxIds = readFileSync(file, 'utf8').trim().split('\n');

const startedAt = performance.now();
const found = how === 'sql' ? await bySql() : await byHttp();
process.stdout.write(JSON.stringify({ seconds: (performance.now() - startedAt) / 1_000, found }));

async function bySql(): Promise<number> {
  const client = new pg.Client(url);
  await client.connect();
  let count = 0;
  for (const batch of batches(500)) {
    const numbers = batch.map((rut) => Number(rut.slice(0, -1)));
    count += (await client.query('SELECT * FROM sii_companies WHERE rut = ANY ($1::integer[])', [numbers])).rows.length;
  }
  await client.end();
  return count;
}

async function byHttp(): Promise<number> {
  const dispatcher = new Agent({ connections: 16 });
  let count = 0;
  for (const batch of batches(64)) {
    const answers = await Promise.all(batch.map(async (cnpj) => (await request(`${url}/${cnpj}`, { dispatcher })).body.json()));
    count += answers.filter((answer) => typeof answer === 'object').length;
  }
  await dispatcher.close();
  return count;
}

function* batches(size: number): Generator<readonly string[]> {
  for (let i = 0; i < taxIds.length; i += size) yield taxIds.slice(i, i + size);
}
