import type { Knex } from 'knex';
import type pg from 'pg';
import { inClientTransaction } from '../../../../db/client-transaction.ts';
import { preparedRead } from './prepared.ts';
import { tableOf } from './tables.ts';

const ACCENTED = 'ÁÀÂÃÄÅÉÈÊËÍÌÎÏÓÒÔÕÖÚÙÛÜÇÑÝáàâãäåéèêëíìîïóòôõöúùûüçñý';
const PLAIN = 'AAAAAAEEEEIIIIOOOOOUUUUCNYAAAAAAEEEEIIIIOOOOOUUUUCNY';

/**
 * Returns the SQL expression of the normalised form of a name: capitals, digits and single blanks. Two rows with the same form and the same
 * masked CPF are probably one person.
 */
export const nameKey = (name: string): string =>
  `btrim(regexp_replace(translate(upper((${name}) COLLATE "C"), '${ACCENTED}', '${PLAIN}'), '[^A-Z0-9]+', ' ', 'g'))`;

/** Returns the SQL expression of the last visible digit of a masked CPF, which is the region in which the CPF was issued. */
const region = (document: string): string => `substr(${document}, 9, 1)`;

const namesakesOf = (id: string): string => tableOf('namesakes', id);

/**
 * Counts the different masked CPFs of each name and region of a version, and replaces an earlier count. Names with one are left out, which
 * nearly all are.
 */
export const countNamesakes = (client: pg.ClientBase, id: string): Promise<void> =>
  inClientTransaction(client, async () => {
    await client.query(`DROP TABLE IF EXISTS ${namesakesOf(id)}`);
    await client.query(
      `CREATE TABLE ${namesakesOf(id)} AS SELECT name COLLATE "C" AS name, region, count(*)::int AS documents
       FROM (SELECT DISTINCT ${nameKey('name')} AS name, ${region('document')} AS region, document
         FROM ${tableOf('partners', id)} WHERE kind = 2 AND document IS NOT NULL AND name IS NOT NULL) p
       GROUP BY 1, 2 HAVING count(*) > 1`,
    );
    await client.query(`CREATE UNIQUE INDEX ${namesakesOf(id)}_0 ON ${namesakesOf(id)} (name, region)`);
    await client.query(`ANALYZE ${namesakesOf(id)}`);
  });

/** A person as the registry shows one: a masked CPF and a name. */
export interface RegistryPerson {
  readonly document: string;
  readonly name: string;
}

/** A person with the normalised name, and the number of different masked CPFs of this name and region in the version. */
export interface StoredIdentity {
  readonly document: string;
  /** Normalised name; empty for one without a letter or digit. */
  readonly key: string;
  readonly documents: number;
}

/** Returns the identity of every person, by one statement. */
export async function findIdentities(db: Knex, id: string, people: readonly RegistryPerson[]): Promise<readonly StoredIdentity[]> {
  const { rows } = await preparedRead(
    db,
    `identities_${id}`,
    `SELECT k.document, k.key, coalesce(n.documents, 1) AS documents
     FROM (SELECT document, ${nameKey('name')} AS key, nth
       FROM ROWS FROM (unnest((SELECT ?::text[])), unnest((SELECT ?::text[]))) WITH ORDINALITY AS t(document, name, nth)) k
       LEFT JOIN ${namesakesOf(id)} n ON n.name = k.key COLLATE "C" AND n.region = ${region('k.document')}
     ORDER BY k.nth`,
    [people.map(({ document }) => document), people.map(({ name }) => name)],
  );
  return rows;
}
