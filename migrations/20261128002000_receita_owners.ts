import type { Knex } from 'knex';

/**
 * What the questions about owners need of each version of the Brazilian registry: an index of the partners that are companies by the root of
 * their CNPJ, and the number of different masked CPFs of each name (`receita_namesakes_v1`, …). The import creates both; this migration
 * does so for versions that were imported before.
 */
export async function up(knex: Knex): Promise<void> {
  const { rows } = await knex.raw(
    `SELECT substr(tablename, 19) AS id FROM pg_tables WHERE schemaname = current_schema() AND tablename ~ '^receita_partners_v[0-9]+$'`,
  );
  for (const { id } of rows) {
    await knex.raw(`
      CREATE INDEX IF NOT EXISTS receita_partners_v${id}_2 ON receita_partners_v${id} (left(document, 8), root) WHERE kind = 1;
      CREATE TABLE IF NOT EXISTS receita_namesakes_v${id} AS SELECT name COLLATE "C" AS name, region, count(*)::int AS documents
        FROM (SELECT DISTINCT btrim(regexp_replace(translate(upper(name COLLATE "C"),
            'ÁÀÂÃÄÅÉÈÊËÍÌÎÏÓÒÔÕÖÚÙÛÜÇÑÝáàâãäåéèêëíìîïóòôõöúùûüçñý', 'AAAAAAEEEEIIIIOOOOOUUUUCNYAAAAAAEEEEIIIIOOOOOUUUUCNY'),
            '[^A-Z0-9]+', ' ', 'g')) AS name, substr(document, 9, 1) AS region, document
          FROM receita_partners_v${id} WHERE kind = 2 AND document IS NOT NULL AND name IS NOT NULL) p
        GROUP BY 1, 2 HAVING count(*) > 1;
      CREATE UNIQUE INDEX IF NOT EXISTS receita_namesakes_v${id}_0 ON receita_namesakes_v${id} (name, region)`);
  }
}

export async function down(knex: Knex): Promise<void> {
  await knex.raw(`
    DO $$ DECLARE name text; BEGIN
      FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename ~ '^receita_namesakes_v[0-9]+$'
      LOOP EXECUTE format('DROP TABLE %I', name); END LOOP;
    END $$`);
}
