import pg from 'pg';
import { pino } from 'pino';
import { startEmbedded } from '../../src/db/embedded.ts';

/**
 * Program that owns an embedded Postgres and that tests kill. `owner-process.ts <folder> [write]`
 * prints the URL, then (with `write`) the number of each row once its write is acknowledged. On SIGTERM it drains for a
 * moment, still using Postgres, stops it and prints `stopped`.
 */
const [dataDir = '', mode] = process.argv.slice(2);
const say = (line: string) => process.stdout.write(`${line}\n`);

const embedded = await startEmbedded(dataDir, { log: pino({ level: 'silent' }) });
const client = new pg.Client(embedded.url);
client.on('error', () => undefined);
await client.connect();
await client.query('CREATE TABLE IF NOT EXISTS writes (id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY)');

const end = async () => {
  const { rows } = await client.query('SELECT pg_sleep(0.3), count(*) FROM writes');
  say(`drained ${rows[0].count}`);
  await client.end();
  await embedded.stop();
  say('stopped');
  process.exit(0);
};
process.once('SIGTERM', end);
process.once('SIGINT', end);
say(embedded.url);

while (mode === 'write') {
  const { rows } = await client.query('INSERT INTO writes DEFAULT VALUES RETURNING id');
  say(rows[0].id);
}
