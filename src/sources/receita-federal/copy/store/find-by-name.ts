import type { Knex } from 'knex';
import { LEVELS, NAME_KINDS, TERMS } from './name-table.ts';
import { tableOf } from './tables.ts';

/** Terms of which a name must have one. */
export interface TermGroup {
  readonly terms: readonly string[];
  /** True if a term may also begin a longer one. */
  readonly isPrefix: boolean;
}

/** A search of the names of a version. */
export interface NameQuery {
  /** Words of the name, in order; the last one may be the beginning of a word. */
  readonly words: readonly string[];
  /** Conditions besides the words, as terms of the index. */
  readonly conditions: readonly TermGroup[];
  /** Name of a municipality in the form of `nameWords`, separated by blanks; null for any. */
  readonly municipality: string | null;
  /** ISO dates between which an establishment started, both inclusive; null for no limit. */
  readonly startedFrom: string | null;
  readonly startedTo: string | null;
  readonly limit: number;
  readonly after: NamePosition | null;
}

/** Position of an establishment in the results of a search. */
export interface NamePosition {
  /** Rank: the smallest is the best. */
  readonly rank: number;
  /** Bare CNPJ. */
  readonly cnpj: string;
}

/** An establishment that has a name with the words. */
export interface NameRow extends NamePosition {
  readonly matched: keyof typeof NAME_KINDS;
  readonly name: string | null;
  readonly tradeName: string | null;
  /** Code of the legal nature; null for none. */
  readonly nature: number | null;
  readonly isMei: boolean;
  readonly isActive: boolean;
  readonly municipality: string | null;
  readonly state: string | null;
  /** ISO date. */
  readonly startedOn: string | null;
}

export interface NameRows {
  readonly rows: readonly NameRow[];
  /** Level of names that were searched; 0 for all names. */
  readonly level: number;
  /** True if more names have the words than are ranked. */
  readonly isCut: boolean;
  /** True if more words begin with the last one than are searched. */
  readonly hasMoreWords: boolean;
  /** False if no municipality has the given name. */
  readonly hasMunicipality: boolean;
}

/** Maximum number of establishments that are ranked in one search. */
export const MAX_RANKED = 1_000;
/** Minimum length of a last word that may be the beginning of a longer one. */
const MIN_PREFIX = 3;
/** Maximum number of words that replace the last one. */
const MAX_COMPLETIONS = 50;
/** Maximum number of terms that replace a condition, more than the activities that exist. */
const MAX_CONDITION_TERMS = 2_000;
/** Estimated number of names up to which all of them are searched, and the number of them that are read. */
const MAX_ESTIMATE = 4_000;
const MAX_READ = 8_000;

/**
 * Finds the establishments with a name that has all words, the best ones first, by one statement. If so many names are likely to have the
 * words that reading them would take long, those of the oldest companies are read: a quarter of all, or a quarter of that, and so on; and
 * the names that consist of the words alone, wherever they are.
 * @throws the error 42P01 of Postgres if the version was dropped meanwhile, or has no table of names
 */
export async function findByName(db: Knex, id: string, query: NameQuery): Promise<NameRows> {
  const [names, terms] = [tableOf('names', id), tableOf('terms', id)];
  const groups = groupsOf(query);
  const searched = groups.flatMap(({ terms, isPrefix, max }, n) => terms.map((term) => ({ n, term, isPrefix, max })));
  const dates = `(CAST(:from AS date) IS NULL OR started_on >= CAST(:from AS date)) AND (CAST(:to AS date) IS NULL OR started_on <= CAST(:to AS date))`;
  const hasTerms = (n: number): string => `${TERMS} && (SELECT terms FROM groups WHERE n = ${n})`;
  const place = query.municipality === null ? [] : [hasTerms(groups.length)];
  const conditions = [
    ...groups
      .map((_, n) => n)
      .filter((n) => n >= query.words.length)
      .map(hasTerms),
    ...place,
    dates,
  ].join(' AND ');
  const { rows } = await db.raw(
    `WITH searched AS (
       SELECT n, term, "isPrefix", max FROM jsonb_to_recordset(CAST(:searched AS jsonb)) AS t (n integer, term text, "isPrefix" boolean, max integer)
       UNION ALL SELECT CAST(:place AS integer), 'm' || l.code, false, 1 FROM receita_lookups l
         WHERE l.version_id = :id AND l.kind = 'municipality' AND translate(l.name, '-./''', '   ') = :municipality
     ), known AS MATERIALIZED (
       SELECT a.n, k.term, k.names FROM searched a CROSS JOIN LATERAL (
         SELECT term, names FROM ${terms} WHERE NOT a."isPrefix" AND term = a.term COLLATE "C"
         UNION ALL (
           SELECT term, names FROM ${terms} WHERE a."isPrefix" AND term >= a.term COLLATE "C" AND term < (a.term || '~') COLLATE "C"
           ORDER BY term = a.term DESC, names DESC, term LIMIT a.max + 1
         )
       ) k
     ), groups AS MATERIALIZED (
       SELECT n, array_agg(term) AS terms, least(1, sum(names) / (SELECT greatest(names, 1)::float8 FROM ${terms} WHERE term = '')) AS share
       FROM known GROUP BY n
     ), estimate AS (
       SELECT (SELECT names FROM ${terms} WHERE term = '') * exp(sum(ln(share) / 2 ^ (least(nth, 5) - 1))) AS names, count(*) AS groups
       FROM (SELECT share, row_number() OVER (ORDER BY share) AS nth FROM groups) s
     ), chosen AS MATERIALIZED (
       SELECT CASE WHEN groups = :groups AND names > ${MAX_ESTIMATE} THEN least(${LEVELS}, ceil(log(4, (names / ${MAX_ESTIMATE})::numeric)))::integer ELSE 0 END AS level
       FROM estimate
     ), read AS MATERIALIZED (
       (SELECT * FROM ${names} WHERE ${query.words.map((_, n) => hasTerms(n)).join(' AND ')} AND ${conditions}
          AND ${TERMS} @> (SELECT CASE level WHEN 0 THEN '{}' ELSE ARRAY['k' || level] END FROM chosen) LIMIT ${MAX_READ + 1})
       UNION ALL
       (SELECT * FROM ${names} WHERE (SELECT level FROM chosen) > 0 AND ${TERMS} @> CAST(:exactTerms AS text[]) AND words = :exact
          AND ${conditions} LIMIT ${MAX_READ + 1})
     ), ranked AS MATERIALIZED (
       SELECT DISTINCT ON (root, branch) root, branch, kind, is_active, state, municipality, started_on, nature,
         (((CASE WHEN words = :exact THEN 0 WHEN ' ' || words LIKE :inOrder THEN 1 ELSE 2 END) * 2 + (NOT is_active)::integer) * 2
           + (NOT is_head)::integer) * 64 + least(63, length(words) - length(replace(words, ' ', ''))) AS rank
       FROM read ORDER BY root, branch, rank, kind
     ), best AS (
       SELECT * FROM ranked ORDER BY rank, root, branch LIMIT ${MAX_RANKED}
     ), page AS (
       SELECT * FROM best WHERE (rank, (root || branch) COLLATE "C") > (CAST(:rank AS integer), CAST(:branch AS text) COLLATE "C")
       ORDER BY rank, root, branch LIMIT :limit
     )
     SELECT (SELECT level FROM chosen) AS level, (SELECT count(*) > ${MAX_RANKED} FROM ranked)
         OR (SELECT count(*) > ${MAX_READ} FROM read) AS "isCut",
       (SELECT count(*) > ${MAX_COMPLETIONS} FROM known WHERE n = ${query.words.length - 1}) AS "hasMoreWords",
       CAST(:municipality AS text) IS NULL OR EXISTS (SELECT FROM searched WHERE n = :place) AS "hasMunicipality",
       (SELECT coalesce(jsonb_agg(jsonb_build_object('rank', p.rank, 'cnpj', e.root || e.branch || e.digits,
           'matched', CASE p.kind WHEN ${NAME_KINDS.legal} THEN 'legal' ELSE 'trade' END, 'name', c.name, 'tradeName', e.trade_name,
           'nature', c.nature, 'isMei', coalesce(r.mei, false), 'isActive', p.is_active, 'state', p.state, 'startedOn', p.started_on,
           'municipality', (SELECT l.name FROM receita_lookups l
             WHERE l.version_id = :id AND l.kind = 'municipality' AND l.code = p.municipality))
         ORDER BY p.rank, p.root, p.branch), '[]')
        FROM page p JOIN ${tableOf('establishments', id)} e ON e.root = p.root AND e.branch = p.branch
          JOIN ${tableOf('companies', id)} c ON c.root = p.root LEFT JOIN ${tableOf('regimes', id)} r ON r.root = p.root) AS rows`,
    {
      searched: JSON.stringify(searched),
      place: groups.length,
      groups: groups.length + place.length,
      id,
      municipality: query.municipality,
      from: query.startedFrom,
      to: query.startedTo,
      exact: query.words.join(' '),
      exactTerms: [...query.words, `n${query.words.length}`],
      inOrder: `${query.words.map((word) => `% ${word}`).join('')}%`,
      rank: query.after?.rank ?? -1,
      branch: query.after?.cnpj.slice(0, -2) ?? '',
      limit: query.limit,
    },
  );
  return rows[0];
}

/** Returns the number of words of a name by its rank, 64 at most. */
export const wordsOfRank = (rank: number): number => (rank % 64) + 1;

/** Returns the groups of terms of a search: those of its words, of which the last one may be a beginning, and those of its conditions. */
function groupsOf({ words, conditions }: NameQuery): readonly (TermGroup & { readonly max: number })[] {
  const isBeginning = (n: number): boolean => n === words.length - 1 && (words[n]?.length ?? 0) >= MIN_PREFIX;
  return [
    ...words.map((word, n) => ({ terms: [word], isPrefix: isBeginning(n), max: MAX_COMPLETIONS })),
    ...conditions.map((condition) => ({ ...condition, max: MAX_CONDITION_TERMS })),
  ];
}
