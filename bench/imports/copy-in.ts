import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import pg from 'pg';
import { from } from 'pg-copy-streams';

/** Separate process that streams a file into a table, as psql's \copy does. Arguments: database URL, table, file. */
const [url = '', table = '', file = ''] = process.argv.slice(2);
const client = new pg.Client(url);
await client.connect();
await pipeline(createReadStream(file, { highWaterMark: 64 * 1_024 }), client.query(from(`COPY ${table} FROM STDIN`)));
await client.end();
