import type { Knex } from 'knex';

/** A table with keyed hashes of secrets that clients send. */
export type HashTable = 'api_key_secrets' | 'person_sessions';

/** Reads the first `bytes` bytes of all hashes of a table, one after another. */
export async function readHashPrefixes(db: Knex, table: HashTable, bytes: number): Promise<Buffer> {
  const { rows } = await db.raw('SELECT string_agg(substr(hash, 1, ?), NULL) AS bytes FROM ??', [bytes, table]);
  return (rows[0] as { readonly bytes: Buffer | null }).bytes ?? Buffer.of();
}
