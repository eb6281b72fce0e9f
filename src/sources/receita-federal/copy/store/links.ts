import type { Knex } from 'knex';
import { nameKey } from './namesakes.ts';
import { tableOf } from './tables.ts';

/** A person by masked CPF and normalised name. */
export interface PersonKey {
  readonly document: string;
  readonly key: string;
}

/** Companies and people whose edges are read. */
export interface Frontier {
  /** First eight characters of CNPJs. */
  readonly roots: readonly string[];
  readonly people: readonly PersonKey[];
  /** True if the people among the owners of the companies are read, too. */
  readonly withPeople: boolean;
}

/** An edge from an owner to a company. */
export interface StoredLink {
  /** 1: a company, by root. 2: a person, by masked CPF and normalised name. */
  readonly kind: 1 | 2;
  /** Root or masked CPF. */
  readonly owner: string;
  /** Name of a person as printed, and normalised; null for a company. */
  readonly name: string | null;
  readonly key: string | null;
  /** Root of the company. */
  readonly owned: string;
  readonly role: number | null;
  readonly since: string | null;
}

/**
 * Returns the edges of companies and people, by one statement, at most `limit`. The statement ends when it has them.
 * @throws an error with the name KnexTimeoutError after `timeoutMs`, when the statement is cancelled
 */
export async function findLinks(
  db: Knex,
  id: string,
  { roots, people, withPeople }: Frontier,
  { limit, timeoutMs }: { readonly limit: number; readonly timeoutMs: number },
): Promise<readonly StoredLink[]> {
  const partners = tableOf('partners', id);
  const own = (kind: 1 | 2, owner: string, condition: string): string =>
    `SELECT ${kind} AS kind, ${owner} AS owner, ${kind === 1 ? 'NULL::text' : 'p.name'} AS name, p.root AS owned, p.role, p.since
     FROM companies k JOIN ${partners} p ON ${condition}`;
  const { rows } = await db
    .raw(
      `WITH companies AS MATERIALIZED (SELECT root COLLATE "C" AS root FROM unnest(?::text[]) AS t(root)),
         people AS MATERIALIZED (SELECT document COLLATE "C" AS document, key COLLATE "C" AS key
           FROM ROWS FROM (unnest(?::text[]), unnest(?::text[])) AS t(document, key))
       SELECT x.kind, x.owner, x.name, CASE WHEN x.kind = 2 THEN ${nameKey('x.name')} END AS key, x.owned, x.role, x.since::text AS since
       FROM (${own(1, 'left(p.document, 8)', `p.root = k.root AND p.kind = 1 AND length(p.document) IN (8, 14)`)}
         UNION ALL ${own(1, 'k.root', 'left(p.document, 8) = k.root AND p.kind = 1')}
         UNION ALL ${own(2, 'p.document', 'p.root = k.root AND p.kind = 2 AND p.document IS NOT NULL AND p.name IS NOT NULL AND ?')}
         UNION ALL SELECT 2, p.document, p.name, p.root, p.role, p.since
           FROM people k JOIN ${partners} p ON p.document = k.document AND p.kind = 2 AND ${nameKey('p.name')} = k.key
         LIMIT ?) x`,
      [[...roots], people.map(({ document }) => document), people.map(({ key }) => key), withPeople, limit],
    )
    .timeout(timeoutMs, { cancel: true });
  return rows;
}
