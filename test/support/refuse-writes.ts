import type { Knex } from 'knex';

/**
 * Makes the database refuse writes with an I/O error.
 * @param writes event and table of a trigger, such as `UPDATE OF listing ON receita_versions`
 * @param when SQL condition on `NEW` or `OLD`
 * @returns a function that ends it
 */
export async function refuseWrites(knex: Knex, writes: string, when = 'true'): Promise<() => Promise<void>> {
  await knex.raw(
    `CREATE FUNCTION refuse_write() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '58030'; END $$;
     CREATE TRIGGER refuse_write BEFORE ${writes} FOR EACH ROW WHEN (${when}) EXECUTE FUNCTION refuse_write()`,
  );
  return async () => {
    await knex.raw('DROP FUNCTION refuse_write() CASCADE');
  };
}

/** Makes the database refuse to delete rows of a table with an I/O error. @returns a function that ends it */
export const refuseDeletions = (knex: Knex, table: string): Promise<() => Promise<void>> => refuseWrites(knex, `DELETE ON ${table}`);
