import type { Knex } from 'knex';

/** Returns every row of every table as text, including those of the job queue. Bytes are shown as hexadecimal digits and as text. */
export async function dumpDatabase(db: Knex): Promise<string> {
  const { rows: tables } = await db.raw(
    `SELECT table_schema AS schema, table_name AS name FROM information_schema.tables
     WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
  );
  const dumps: string[] = [];
  for (const { schema, name } of tables) {
    const { rows } = await db.raw('SELECT to_jsonb(t)::text AS row FROM ??.?? t', [schema, name]);
    dumps.push(...rows.map(({ row }: { row: string }) => row));
  }
  const bytes = dumps.join('\n').match(/(?<=\\\\x)[0-9a-f]+/g) ?? [];
  return [...dumps, ...bytes.map((hex) => Buffer.from(hex, 'hex').toString('latin1'))].join('\n');
}
