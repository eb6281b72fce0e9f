import type { Knex } from 'knex';

/** Makes the database refuse to delete rows of a table with an I/O error. @returns a function that ends it */
export async function refuseDeletions(knex: Knex, table: string): Promise<() => Promise<void>> {
  await knex.raw(
    `CREATE FUNCTION refuse_deletion() RETURNS trigger LANGUAGE plpgsql AS
       $$ BEGIN RAISE EXCEPTION 'refused' USING ERRCODE = '58030'; END $$;
     CREATE TRIGGER refuse_deletion BEFORE DELETE ON ${table} FOR EACH ROW EXECUTE FUNCTION refuse_deletion()`,
  );
  return async () => {
    await knex.raw('DROP FUNCTION refuse_deletion() CASCADE');
  };
}
