import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { describe, expect, it, onTestFinished } from 'vitest';
import { testDb } from './db.ts';

describe('a test database', () => {
  it('closes while another test is in the middle of a COPY, which holds up every DROP DATABASE of the server', async () => {
    const busy = await testDb();
    const client = new pg.Client(busy.url);
    await client.connect();
    onTestFinished(() => client.end().then(() => busy.close()));
    await client.query('CREATE TEMP TABLE copied (line text)');
    const copy = client.query(copyFrom('COPY copied FROM STDIN'));
    copy.write('a line\n');
    await (await testDb()).close();
    copy.end();
    await expect(new Promise((done, failed) => copy.on('finish', () => done('copied')).on('error', failed))).resolves.toBe('copied');
  });
});
