import type { Knex } from 'knex';
import type pg from 'pg';
import { inClientTransaction } from '../../../db/client-transaction.ts';
import { numberOfRut, rutOfNumber } from '../../../domain/tax-id.ts';
import { type StoredVersion, toVersion, VERSION, type VersionRow } from '../../registry/version-store.ts';
import { END_OF_RUTS } from '../row.ts';

/** A company whose name contains the words of a search. */
export interface NameHit {
  /** Bare RUT, check digit included. */
  readonly taxId: string;
  readonly name: string;
  /** Similarity of the full names, 0 to 1000. */
  readonly score: number;
}

/** Position in the results of a search, sorted by score, best first, then by RUT. */
export type NameCursor = Pick<NameHit, 'taxId' | 'score'>;

export interface NameSearch {
  /** Words of the name, at least one. */
  readonly words: readonly string[];
  /** Maximum number of hits to return. */
  readonly limit: number;
  readonly after: NameCursor | null;
}

export interface NameHits {
  /** The version whose names were searched; null if no index was ever built. */
  readonly version: StoredVersion | null;
  readonly hits: readonly NameHit[];
  /** True when more names contain the words than are ranked (`MAX_RANKED`). */
  readonly isTruncated: boolean;
}

/** Maximum number of names that are ranked in one search. */
export const MAX_RANKED = 1_000;
/** Number of companies from which a word counts as spelled correctly, so that similar words are not searched. */
const COMMON = 50;
/** Maximum number of similar words that replace a word of the search. */
const MAX_SIMILAR = 10;

/**
 * Optional words of a search, in the form of `searchWords`: legal forms, articles and conjunctions, which people write in many ways or
 * omit; and single letters, because of S.A. and E.I.R.L. They affect the rank.
 */
const OPTIONAL = new Set('sa spa ltda limitada eirl sas cia compania sociedad por acciones i e de del la las el los'.split(' '));

/**
 * SQL: the words of `searchWords` for the column `name`, separated by blanks. Lower case is applied last, because some locales support
 * ASCII letters only.
 */
const ASCII = String.raw`lower(regexp_replace(normalize(name, NFD), '[\u0300-\u036f]', '', 'g'))`;
const WORDS = `trim(regexp_replace(translate(${ASCII}, 'zvykh', 'sbic'), '[^a-z0-9]+', ' ', 'g'))`;
const ARRAY = `string_to_array(words, ' ')`;

/** Returns the words of which a name must contain each, or a similar one: all words, if only optional ones are given. */
function requiredOf(words: readonly string[]): readonly string[] {
  const required = words.filter((word) => !/^[a-z]$/.test(word) && !OPTIONAL.has(word));
  return [...new Set(required.length > 0 ? required : words)];
}

/**
 * Builds the index of the names of version `id`, unless it exists, and makes it the one that answers. The previous index answers until
 * then and is dropped. It takes about 20 s for a million companies; `signal` stops it after the current statement.
 */
export async function buildNameIndex(client: pg.Client, origin: string, id: string, signal: AbortSignal): Promise<void> {
  const { rows } = await client.query('SELECT version_id::text AS id FROM sii_name_indexes WHERE origin = $1', [origin]);
  const old: string | undefined = rows[0]?.id;
  if (old === id) return;
  const [names, vocabulary] = tablesOf(id);
  const steps = [
    `SET LOCAL work_mem = '64MB'`,
    `SET LOCAL maintenance_work_mem = '128MB'`,
    `CREATE TABLE ${names} AS SELECT rut, name, ${WORDS} AS words FROM sii_companies WHERE version_id = ${id} AND rut < ${END_OF_RUTS}`,
    `CREATE INDEX ON ${names} USING gin (${ARRAY})`,
    `CREATE TABLE ${vocabulary} AS SELECT word, count(*)::integer AS companies FROM ${names}, unnest(${ARRAY}) AS word GROUP BY word`,
    `CREATE INDEX ON ${vocabulary} (word)`,
    `CREATE INDEX ON ${vocabulary} USING gin (word gin_trgm_ops)`,
    `ANALYZE ${names}, ${vocabulary}`,
    ...(old ? [`DROP TABLE IF EXISTS ${tablesOf(old).join(', ')}`] : []),
  ];
  await inClientTransaction(client, async () => {
    for (const step of steps) {
      signal.throwIfAborted();
      await client.query(step);
    }
    await client.query(
      'INSERT INTO sii_name_indexes (origin, version_id) VALUES ($1, $2) ON CONFLICT (origin) DO UPDATE SET version_id = $2',
      [origin, id],
    );
  });
}

const tablesOf = (id: string): readonly [names: string, vocabulary: string] => [`sii_names_v${id}`, `sii_words_v${id}`];

/** Searches companies whose names contain every required word, or a similar one, and returns the best ones first. */
export async function searchNames(
  db: Knex,
  copy: { readonly name: string; readonly origin: string },
  search: NameSearch,
): Promise<NameHits> {
  const once = async (): Promise<NameHits> => {
    const version = await searchedVersion(db, copy.name, copy.origin);
    const similar = version && (await similarWords(db, version.id, requiredOf(search.words)));
    return { version, ...(similar ? await rankedNames(db, version.id, similar, search) : { hits: [], isTruncated: false }) };
  };
  return once().catch((error: pg.DatabaseError) => {
    if (error.code !== UNDEFINED_TABLE) throw error;
    return once(); // the index was replaced between two statements
  });
}

const UNDEFINED_TABLE = '42P01';

async function searchedVersion(db: Knex, name: string, origin: string): Promise<StoredVersion | null> {
  const { rows } = await db.raw(
    `SELECT ${VERSION} FROM sii_name_indexes i JOIN registry_versions v ON v.id = i.version_id
       JOIN registries r ON r.name = v.name AND r.origin = v.origin
     WHERE r.name = ? AND i.origin = ?`,
    [name, origin],
  );
  return rows[0] ? toVersion(rows[0] as VersionRow) : null;
}

/** Returns for each word the words of the vocabulary that may replace it; null if there are none for one of them. */
async function similarWords(db: Knex, id: string, words: readonly string[]): Promise<readonly (readonly string[])[] | null> {
  const [, vocabulary] = tablesOf(id);
  const { rows } = await db.raw(
    `SELECT q.n::integer AS n, w.word FROM unnest(?::text[]) WITH ORDINALITY AS q (word, n)
     CROSS JOIN LATERAL (
       SELECT word FROM ${vocabulary} WHERE word = q.word
       UNION ALL (
         SELECT word FROM ${vocabulary}
         WHERE word % q.word AND word <> q.word AND NOT EXISTS (SELECT FROM ${vocabulary} WHERE word = q.word AND companies >= ${COMMON})
         ORDER BY similarity(word, q.word) DESC, companies DESC, word LIMIT ${MAX_SIMILAR}
       )
     ) w`,
    [[...words]],
  );
  const found: readonly { n: number; word: string }[] = rows;
  const similar = words.map((_, i) => found.filter(({ n }) => n === i + 1).map(({ word }) => word));
  return similar.every((some) => some.length > 0) ? similar : null;
}

/** @param similar words that may replace each required word */
async function rankedNames(
  db: Knex,
  id: string,
  similar: readonly (readonly string[])[],
  { words, limit, after }: NameSearch,
): Promise<Omit<NameHits, 'version'>> {
  const [names] = tablesOf(id);
  const { rows } = await db.raw(
    `WITH found AS MATERIALIZED (
       SELECT rut, name, round(similarity(words, ?) * 1000)::integer AS score
       FROM ${names} WHERE ${similar.map(() => `${ARRAY} && ?::text[]`).join(' AND ')} LIMIT ${MAX_RANKED + 1}
     )
     SELECT rut, name, score, (SELECT count(*) FROM found) > ${MAX_RANKED} AS "isTruncated"
     FROM found WHERE (-score, rut) > (?::integer, ?::integer) ORDER BY score DESC, rut LIMIT ?`,
    [words.join(' '), ...similar.map((some) => [...some]), after ? -after.score : MIN_INTEGER, after ? numberOfRut(after.taxId) : 0, limit],
  );
  const found: readonly { rut: number; name: string; score: number; isTruncated: boolean }[] = rows;
  const hits = found.map(({ rut, name, score }) => ({ taxId: rutOfNumber(rut), name, score }));
  return { hits, isTruncated: found[0]?.isTruncated ?? false };
}

const MIN_INTEGER = -(2 ** 31);
