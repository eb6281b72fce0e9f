import { globSync } from 'node:fs';
import path from 'node:path';
import type { Knex } from 'knex';
import { beforeAll, describe, expect, it } from 'vitest';
import { testDb } from '../support/db.ts';
import { breaksOf, readCatalogue } from './catalogue.ts';

/** Breaks that are accepted, by migration: these are part of the first release, so no release before them runs. */
const ACCEPTED: Readonly<Record<string, readonly string[]>> = {
  '20261121000007_accounts.ts': [
    'api_keys.hash is gone',
    'api_keys.last_four is gone',
    'api_keys.account_id is new, and required without a default',
  ],
  '20261122000000_delivery_partitions.ts': [
    'table judged_lists is gone',
    'table webhook_lanes is gone',
    'monitor_companies.place is gone',
    'deliveries.lane is gone',
    'monitor_companies.ordinal is new, and required without a default',
    'deliveries.partition is new, and required without a default',
  ],
  '20261124000100_owner_dismissals.ts': [
    'UNIQUE btree (account_id, country, tax_id, list, entity_id) of match_dismissals is gone',
    'UNIQUE btree (account_id, country, tax_id, owner_id, list, entity_id) of match_dismissals is new',
  ],
};
const FOLDER = path.resolve(import.meta.dirname, '../../migrations');

let db: Knex;
beforeAll(async () => {
  const database = await testDb();
  db = database.knex;
  return () => database.close();
});

describe('DB-07 the schema of the release before', () => {
  it('DB-07 keeps its tables, columns, types, defaults and unique keys in every migration, which demands nothing new of its rows', {
    timeout: 60_000,
  }, async () => {
    await db.raw('DROP SCHEMA public CASCADE; CREATE SCHEMA public;');
    const found: Record<string, readonly string[]> = {};
    let before = await readCatalogue(db);
    for (const file of globSync('*.ts', { cwd: FOLDER }).sort()) {
      const { up } = await import(path.join(FOLDER, file));
      await up(db);
      const after = await readCatalogue(db);
      const breaks = breaksOf(before, after);
      if (breaks.length > 0) found[file] = breaks;
      before = after;
    }
    expect(before.tables).toContain('api_keys');
    expect(found).toEqual(ACCEPTED);
  });

  const WORDS = `CREATE TYPE mood AS ENUM ('calm', 'busy');
    CREATE TABLE words (id int PRIMARY KEY, word text UNIQUE, note varchar(9), plan text NOT NULL DEFAULT 'free', price numeric(10, 2));
    CREATE TABLE others (id int PRIMARY KEY);
    CREATE VIEW short AS SELECT id FROM words;
    CREATE UNIQUE INDEX notes ON words (lower(note)) WHERE id > 0;`;
  it.each([
    ['ALTER TABLE words ADD COLUMN more text', []],
    ['ALTER TABLE words ADD COLUMN more numeric(10, 2) NOT NULL DEFAULT 0 CHECK (more >= 0)', []],
    ['ALTER TABLE words ADD COLUMN more int GENERATED ALWAYS AS (id + 1) STORED NOT NULL', []],
    ['ALTER TABLE words ADD COLUMN other int REFERENCES others', []],
    ['ALTER TABLE words ALTER plan DROP NOT NULL, ALTER note SET DEFAULT 1', []],
    ['CREATE TABLE more (id int NOT NULL UNIQUE CHECK (id > 0))', []],
    ['CREATE INDEX more ON words (plan)', []],
    ['ALTER TABLE words RENAME CONSTRAINT words_word_key TO words_unique', []],
    ['DROP TABLE others', ['table others is gone']],
    ['ALTER TABLE others RENAME TO more', ['table others is gone']],
    ['CREATE SCHEMA hidden; ALTER TABLE others SET SCHEMA hidden', ['table others is gone']],
    ['DROP VIEW short', ['view short is gone']],
    [`ALTER TYPE mood RENAME VALUE 'calm' TO 'quiet'`, ['type mood calm is gone']],
    ['ALTER TABLE words DROP COLUMN price', ['words.price is gone']],
    ['ALTER TABLE words DROP price', ['words.price is gone']],
    [`DO $$ BEGIN EXECUTE 'ALTER TABLE words DR' || 'OP price'; END $$`, ['words.price is gone']],
    ['ALTER TABLE words RENAME price TO cost', ['words.price is gone']],
    ['ALTER TABLE words ALTER COLUMN note TYPE varchar(8)', ['words.note was character varying(9) and is character varying(8)']],
    ['ALTER TABLE words ALTER price TYPE numeric(9, 2)', ['words.price was numeric(10,2) and is numeric(9,2)']],
    ['ALTER TABLE words ALTER COLUMN price SET NOT NULL', ['words.price is required now']],
    ['ALTER TABLE words ALTER plan DROP DEFAULT', ['words.plan has no default any more']],
    ['ALTER TABLE words ADD COLUMN more numeric(10, 2) NOT NULL', ['words.more is new, and required without a default']],
    ['ALTER TABLE words ADD more text NOT NULL', ['words.more is new, and required without a default']],
    ['ALTER TABLE words DROP CONSTRAINT words_word_key', ['UNIQUE btree (word) of words is gone']],
    ['DROP INDEX notes', ['UNIQUE btree (lower((note)::text)) WHERE (id > 0) of words is gone']],
    ['CREATE UNIQUE INDEX more ON words (plan)', ['UNIQUE btree (plan) of words is new']],
    ['ALTER TABLE words ADD CONSTRAINT more CHECK (price > 0) NOT VALID', ['CHECK ((price > (0)::numeric)) NOT VALID of words is new']],
    ['ALTER TABLE words ADD FOREIGN KEY (id) REFERENCES others', ['FOREIGN KEY (id) REFERENCES others(id) of words is new']],
  ])('DB-07 %s breaks %j', async (change, breaks) => {
    const trx = await db.transaction();
    try {
      await trx.raw(WORDS);
      const before = await readCatalogue(trx);
      await trx.raw(change);
      expect(breaksOf(before, await readCatalogue(trx))).toEqual(breaks);
    } finally {
      await trx.rollback();
    }
  });
});
